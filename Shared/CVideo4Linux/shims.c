#include "CVideo4Linux.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

// The structures go to the kernel as they lie in memory; their sizes are part of the request numbers. On a machine
// where one of these fails, what Swift hands over is not what the kernel reads.
_Static_assert(sizeof(struct v4l2_capability) == 104, "v4l2_capability");
_Static_assert(sizeof(struct v4l2_fmtdesc) == 64, "v4l2_fmtdesc");
_Static_assert(sizeof(struct v4l2_frmsizeenum) == 44, "v4l2_frmsizeenum");
_Static_assert(sizeof(struct v4l2_frmivalenum) == 52, "v4l2_frmivalenum");
_Static_assert(sizeof(struct v4l2_streamparm) == 204, "v4l2_streamparm");
_Static_assert(sizeof(struct v4l2_query_ext_ctrl) == 232, "v4l2_query_ext_ctrl");
_Static_assert(sizeof(struct v4l2_querymenu) == 44, "v4l2_querymenu");
#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(struct v4l2_buffer) == 88, "v4l2_buffer");
_Static_assert(sizeof(struct v4l2_plane) == 64, "v4l2_plane");
_Static_assert(sizeof(struct v4l2_format) == 208, "v4l2_format");
#endif

static int call(int fd, unsigned long request, void *argument) {
    int result;
    do {
        result = ioctl(fd, request, argument);
    } while (result == -1 && errno == EINTR);
    return result == -1 ? -errno : 0;
}

int cv4l2_querycap(int fd, struct v4l2_capability *capability) { return call(fd, VIDIOC_QUERYCAP, capability); }
int cv4l2_enum_input(int fd, struct v4l2_input *input) { return call(fd, VIDIOC_ENUMINPUT, input); }
int cv4l2_enum_format(int fd, struct v4l2_fmtdesc *description) { return call(fd, VIDIOC_ENUM_FMT, description); }
int cv4l2_enum_frame_size(int fd, struct v4l2_frmsizeenum *size) { return call(fd, VIDIOC_ENUM_FRAMESIZES, size); }
int cv4l2_get_parameters(int fd, struct v4l2_streamparm *parameters) { return call(fd, VIDIOC_G_PARM, parameters); }
int cv4l2_set_parameters(int fd, struct v4l2_streamparm *parameters) { return call(fd, VIDIOC_S_PARM, parameters); }
int cv4l2_query_control(int fd, struct v4l2_query_ext_ctrl *control) { return call(fd, VIDIOC_QUERY_EXT_CTRL, control); }
int cv4l2_query_menu(int fd, struct v4l2_querymenu *menu) { return call(fd, VIDIOC_QUERYMENU, menu); }

int cv4l2_enum_frame_interval(int fd, struct v4l2_frmivalenum *interval) {
    return call(fd, VIDIOC_ENUM_FRAMEINTERVALS, interval);
}

int cv4l2_get_input(int fd, uint32_t *index) {
    int value = 0;
    int result = call(fd, VIDIOC_G_INPUT, &value);
    *index = (uint32_t)value;
    return result;
}

static void read_format(const struct v4l2_format *from, struct cv4l2_format *to) {
    if (V4L2_TYPE_IS_MULTIPLANAR(from->type)) {
        const struct v4l2_pix_format_mplane *pix = &from->fmt.pix_mp;
        *to = (struct cv4l2_format){pix->width, pix->height, pix->pixelformat, pix->field, pix->colorspace,
            pix->quantization, pix->num_planes, pix->plane_fmt[0].bytesperline, pix->plane_fmt[0].sizeimage, pix->ycbcr_enc,
            pix->plane_fmt[1].bytesperline, pix->plane_fmt[2].bytesperline, pix->xfer_func};
    } else {
        const struct v4l2_pix_format *pix = &from->fmt.pix;
        *to = (struct cv4l2_format){pix->width, pix->height, pix->pixelformat, pix->field, pix->colorspace,
            pix->quantization, 1, pix->bytesperline, pix->sizeimage, pix->ycbcr_enc, 0, 0,
            pix->xfer_func};
    }
}

static int change_format(int fd, unsigned long request, uint32_t type, struct cv4l2_format *format) {
    struct v4l2_format wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.type = type;
    if (V4L2_TYPE_IS_MULTIPLANAR(type)) {
        wanted.fmt.pix_mp.width = format->width;
        wanted.fmt.pix_mp.height = format->height;
        wanted.fmt.pix_mp.pixelformat = format->pixelformat;
        wanted.fmt.pix_mp.field = format->field;
    } else {
        wanted.fmt.pix.width = format->width;
        wanted.fmt.pix.height = format->height;
        wanted.fmt.pix.pixelformat = format->pixelformat;
        wanted.fmt.pix.field = format->field;
    }
    int result = call(fd, request, &wanted);
    if (result == 0) read_format(&wanted, format);
    return result;
}

int cv4l2_get_format(int fd, uint32_t type, struct cv4l2_format *format) {
    struct v4l2_format current;
    memset(&current, 0, sizeof current);
    current.type = type;
    int result = call(fd, VIDIOC_G_FMT, &current);
    if (result == 0) read_format(&current, format);
    return result;
}

int cv4l2_set_format(int fd, uint32_t type, struct cv4l2_format *format) {
    return change_format(fd, VIDIOC_S_FMT, type, format);
}

int cv4l2_get_control(int fd, uint32_t identifier, int32_t *value) {
    struct v4l2_control control = {.id = identifier};
    int result = call(fd, VIDIOC_G_CTRL, &control);
    *value = control.value;
    return result;
}

static int get_extended(int fd, struct v4l2_ext_control *control) {
    struct v4l2_ext_controls all = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = control};
    return call(fd, VIDIOC_G_EXT_CTRLS, &all);
}

int cv4l2_get_wide_control(int fd, uint32_t identifier, int64_t *value) {
    struct v4l2_ext_control control = {.id = identifier};
    int result = get_extended(fd, &control);
    *value = control.value64;
    return result;
}

int cv4l2_get_text_control(int fd, uint32_t identifier, char *text, uint32_t size) {
    struct v4l2_ext_control control = {.id = identifier, .size = size, .string = text};
    return get_extended(fd, &control);
}

int cv4l2_set_control(int fd, uint32_t identifier, int32_t value) {
    struct v4l2_control control = {.id = identifier, .value = value};
    return call(fd, VIDIOC_S_CTRL, &control);
}

static int set_extended(int fd, struct v4l2_ext_control *control) {
    struct v4l2_ext_controls all = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = control};
    return call(fd, VIDIOC_S_EXT_CTRLS, &all);
}

int cv4l2_set_wide_control(int fd, uint32_t identifier, int64_t value) {
    struct v4l2_ext_control control = {.id = identifier, .value64 = value};
    return set_extended(fd, &control);
}

int cv4l2_set_text_control(int fd, uint32_t identifier, const char *text, uint32_t size) {
    // The kernel reads the text; its structure has no const.
    struct v4l2_ext_control control = {.id = identifier, .size = size, .string = (char *)text};
    return set_extended(fd, &control);
}

int cv4l2_set_priority(int fd, uint32_t priority) { return call(fd, VIDIOC_S_PRIORITY, &priority); }

int cv4l2_request_buffers(int fd, uint32_t type, uint32_t *count) {
    struct v4l2_requestbuffers request;
    memset(&request, 0, sizeof request);
    request.count = *count;
    request.type = type;
    request.memory = V4L2_MEMORY_MMAP;
    int result = call(fd, VIDIOC_REQBUFS, &request);
    *count = request.count;
    return result;
}

static void prepare(struct v4l2_buffer *buffer, struct v4l2_plane *planes, uint32_t type, uint32_t plane_count) {
    memset(buffer, 0, sizeof *buffer);
    memset(planes, 0, CV4L2_MAX_PLANES * sizeof *planes);
    buffer->type = type;
    buffer->memory = V4L2_MEMORY_MMAP;
    if (V4L2_TYPE_IS_MULTIPLANAR(type)) {
        buffer->m.planes = planes;
        buffer->length = plane_count;
    }
}

int cv4l2_map_buffer(int fd, uint32_t type, uint32_t index, uint32_t plane, struct cv4l2_mapping *mapping) {
    struct v4l2_buffer buffer;
    struct v4l2_plane planes[CV4L2_MAX_PLANES];
    prepare(&buffer, planes, type, CV4L2_MAX_PLANES);
    buffer.index = index;
    int result = call(fd, VIDIOC_QUERYBUF, &buffer);
    if (result != 0) return result;
    bool is_planar = V4L2_TYPE_IS_MULTIPLANAR(type);
    if (plane >= CV4L2_MAX_PLANES || (!is_planar && plane > 0)) return -EINVAL;
    size_t length = is_planar ? planes[plane].length : buffer.length;
    off_t offset = is_planar ? planes[plane].m.mem_offset : buffer.m.offset;
    void *start = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, offset);
    // Some drivers refuse a mapping that can not be written.
    if (start == MAP_FAILED) start = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    if (start == MAP_FAILED) return -errno;
    mapping->start = start;
    mapping->length = length;
    return 0;
}

int cv4l2_export_buffer(int fd, uint32_t type, uint32_t index, uint32_t plane) {
    struct v4l2_exportbuffer export = {.type = type, .index = index, .plane = plane, .flags = O_CLOEXEC | O_RDONLY};
    int result = call(fd, VIDIOC_EXPBUF, &export);
    return result != 0 ? result : export.fd;
}

int cv4l2_unmap_buffer(struct cv4l2_mapping mapping) {
    if (mapping.start == NULL) return 0;
    return munmap(mapping.start, mapping.length) == -1 ? -errno : 0;
}

int cv4l2_queue_buffer(int fd, uint32_t type, uint32_t index, uint32_t plane_count) {
    struct v4l2_buffer buffer;
    struct v4l2_plane planes[CV4L2_MAX_PLANES];
    prepare(&buffer, planes, type, plane_count);
    buffer.index = index;
    return call(fd, VIDIOC_QBUF, &buffer);
}

int cv4l2_dequeue_buffer(int fd, uint32_t type, uint32_t plane_count, struct cv4l2_frame *frame) {
    struct v4l2_buffer buffer;
    struct v4l2_plane planes[CV4L2_MAX_PLANES];
    prepare(&buffer, planes, type, plane_count);
    int result = call(fd, VIDIOC_DQBUF, &buffer);
    if (result != 0) return result;
    bool is_planar = V4L2_TYPE_IS_MULTIPLANAR(type);
    *frame = (struct cv4l2_frame){
        .index = buffer.index,
        .bytesused = is_planar ? planes[0].bytesused : buffer.bytesused,
        .data_offset = is_planar ? planes[0].data_offset : 0,
        .flags = buffer.flags,
        .sequence = buffer.sequence,
        .field = buffer.field,
        .seconds = buffer.timestamp.tv_sec,
        .microseconds = buffer.timestamp.tv_usec,
        // Without them on the single-planar interface: all planes start as zeros.
        .second = {planes[1].bytesused, planes[1].data_offset},
        .third = {planes[2].bytesused, planes[2].data_offset},
    };
    return 0;
}

int cv4l2_stream_on(int fd, uint32_t type) { return call(fd, VIDIOC_STREAMON, &type); }
int cv4l2_stream_off(int fd, uint32_t type) { return call(fd, VIDIOC_STREAMOFF, &type); }
