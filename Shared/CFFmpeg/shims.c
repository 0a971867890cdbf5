#include "CFFmpeg.h"
#include <errno.h>

int cffmpeg_try_again(void) { return AVERROR(EAGAIN); }
int cffmpeg_end_of_file(void) { return AVERROR_EOF; }
int cffmpeg_out_of_memory(void) { return AVERROR(ENOMEM); }
int64_t cffmpeg_no_time(void) { return AV_NOPTS_VALUE; }
