#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/imgutils.h>
#include <libswscale/swscale.h>

/// AVERROR(EAGAIN), AVERROR_EOF, AVERROR(ENOMEM): macros with arithmetic do not reach Swift.
int cffmpeg_try_again(void);
int cffmpeg_end_of_file(void);
int cffmpeg_out_of_memory(void);
/// AV_NOPTS_VALUE: a macro with a cast.
int64_t cffmpeg_no_time(void);
