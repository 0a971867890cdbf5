#include "CLibAVCodec.h"
#include <errno.h>

int clibavcodec_try_again(void) { return AVERROR(EAGAIN); }
int clibavcodec_end_of_file(void) { return AVERROR_EOF; }
