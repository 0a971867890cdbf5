#pragma once
#include <libavcodec/avcodec.h>
#include <libavutil/avutil.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>

/// AVERROR(EAGAIN), AVERROR_EOF: macros with arithmetic do not reach Swift.
int clibavcodec_try_again(void);
int clibavcodec_end_of_file(void);
