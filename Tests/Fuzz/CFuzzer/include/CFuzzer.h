// libFuzzer's entry for programs with a main of their own; its archive declares it in no C header
// (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
