#include "CVideoConversion.h"
#include <errno.h>
#include <libv4l-plugin.h>
#include <libv4lconvert.h>
#include <string.h>

// A device that lists one format and has nothing else. It has to list one that programs can use as it is: for a device
// with none the library makes settings of its own in shared memory, and corrects colours by them.
static int answer(void *context, int fd, unsigned long request, void *argument) {
    (void)context, (void)fd;
    if ((uint32_t)request == (uint32_t)VIDIOC_ENUM_FMT) {
        struct v4l2_fmtdesc *description = argument;
        if (description->index == 0) {
            description->pixelformat = V4L2_PIX_FMT_RGB24;
            return 0;
        }
        errno = EINVAL;
        return -1;
    }
    errno = ENOTTY;
    return -1;
}

static const struct libv4l_dev_ops no_device = {.ioctl = answer};

struct cvconv *cvconv_create(void) {
    return (struct cvconv *)v4lconvert_create_with_dev_ops(-1, NULL, &no_device);
}

void cvconv_destroy(struct cvconv *converter) { v4lconvert_destroy((struct v4lconvert_data *)converter); }

static struct v4l2_format described(struct cvconv_format format) {
    struct v4l2_format result;
    memset(&result, 0, sizeof result);
    result.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    result.fmt.pix.width = format.width;
    result.fmt.pix.height = format.height;
    result.fmt.pix.pixelformat = format.pixelformat;
    result.fmt.pix.field = V4L2_FIELD_NONE;
    result.fmt.pix.bytesperline = format.bytesperline;
    result.fmt.pix.sizeimage = format.sizeimage;
    return result;
}

int cvconv_convert(struct cvconv *converter, struct cvconv_format from, struct cvconv_format to, uint8_t *source,
    int source_size, uint8_t *target, int target_size) {
    struct v4l2_format source_format = described(from), target_format = described(to);
    return v4lconvert_convert((struct v4lconvert_data *)converter, &source_format, &target_format, source, source_size,
        target, target_size);
}
