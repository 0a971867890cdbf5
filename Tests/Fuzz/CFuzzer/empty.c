// A C target needs a file to compile.
#include "CFuzzer.h"
