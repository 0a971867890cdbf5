#pragma once
#include <linux/media.h>
#include <linux/videodev2.h>
#include <stdint.h>

// Why shims: the VIDIOC_* request numbers are macros over sizeof, ioctl(2) is variadic, and buffers of the
// multi-planar interface need an array of planes that outlives the call. None of that reaches Swift.
//
// Each returns 0, or the negative of errno; a call that a signal interrupted is made again.

#define CV4L2_MAX_PLANES 8

/// One picture format of either interface (VIDIOC_G_FMT, VIDIOC_S_FMT): the first plane's row and size, and the rows of
/// up to two more.
struct cv4l2_format {
    uint32_t width, height, pixelformat, field, colorspace, quantization, plane_count, bytesperline, sizeimage;
    uint32_t encoding, second_bytesperline, third_bytesperline, transfer;
};

/// One plane of a dequeued buffer.
struct cv4l2_plane {
    uint32_t bytesused, data_offset;
};

/// One dequeued buffer (VIDIOC_DQBUF): bytes and offset of its first plane, and of up to two more.
struct cv4l2_frame {
    uint32_t index, bytesused, data_offset, flags, sequence, field;
    int64_t seconds, microseconds;
    struct cv4l2_plane second, third;
};

/// One mapped plane of a buffer.
struct cv4l2_mapping {
    void *_Nullable start;
    uint64_t length;
};

int cv4l2_querycap(int fd, struct v4l2_capability *_Nonnull capability);
int cv4l2_enum_input(int fd, struct v4l2_input *_Nonnull input);
int cv4l2_get_input(int fd, uint32_t *_Nonnull index);
int cv4l2_enum_format(int fd, struct v4l2_fmtdesc *_Nonnull description);
int cv4l2_enum_frame_size(int fd, struct v4l2_frmsizeenum *_Nonnull size);
int cv4l2_enum_frame_interval(int fd, struct v4l2_frmivalenum *_Nonnull interval);
int cv4l2_get_format(int fd, uint32_t type, struct cv4l2_format *_Nonnull format);
int cv4l2_set_format(int fd, uint32_t type, struct cv4l2_format *_Nonnull format);
int cv4l2_get_parameters(int fd, struct v4l2_streamparm *_Nonnull parameters);
int cv4l2_set_parameters(int fd, struct v4l2_streamparm *_Nonnull parameters);
int cv4l2_query_control(int fd, struct v4l2_query_ext_ctrl *_Nonnull control);
int cv4l2_query_menu(int fd, struct v4l2_querymenu *_Nonnull menu);
int cv4l2_get_control(int fd, uint32_t identifier, int32_t *_Nonnull value);
/// VIDIOC_G_EXT_CTRLS of one 64-bit number.
int cv4l2_get_wide_control(int fd, uint32_t identifier, int64_t *_Nonnull value);
/// VIDIOC_G_EXT_CTRLS of one text; `size` is the room with its end.
int cv4l2_get_text_control(int fd, uint32_t identifier, char *_Nullable text, uint32_t size);
int cv4l2_set_control(int fd, uint32_t identifier, int32_t value);
/// VIDIOC_S_EXT_CTRLS of one 64-bit number.
int cv4l2_set_wide_control(int fd, uint32_t identifier, int64_t value);
/// VIDIOC_S_EXT_CTRLS of one text; `size` counts its end.
int cv4l2_set_text_control(int fd, uint32_t identifier, const char *_Nonnull text, uint32_t size);
int cv4l2_set_priority(int fd, uint32_t priority);
/// Asks for `count` buffers to be mapped; the kernel may give another number.
int cv4l2_request_buffers(int fd, uint32_t type, uint32_t *_Nonnull count);
/// VIDIOC_QUERYBUF and mmap(2) of one plane.
int cv4l2_map_buffer(int fd, uint32_t type, uint32_t index, uint32_t plane, struct cv4l2_mapping *_Nonnull mapping);
int cv4l2_unmap_buffer(struct cv4l2_mapping mapping);
/// VIDIOC_EXPBUF of one plane, for reading: a descriptor, closed on exec, that is the caller's; or -errno.
int cv4l2_export_buffer(int fd, uint32_t type, uint32_t index, uint32_t plane);
int cv4l2_queue_buffer(int fd, uint32_t type, uint32_t index, uint32_t plane_count);
int cv4l2_dequeue_buffer(int fd, uint32_t type, uint32_t plane_count, struct cv4l2_frame *_Nonnull frame);
int cv4l2_stream_on(int fd, uint32_t type);
int cv4l2_stream_off(int fd, uint32_t type);

/// What MEDIA_IOC_G_TOPOLOGY gives, without names and padding: its structures are packed, and it wants arrays of the right
/// length for its second call.
struct cv4l2_entity { uint32_t id, function; };
struct cv4l2_interface { uint32_t id, type, major, minor; };
struct cv4l2_pad { uint32_t id, entity, flags; };
struct cv4l2_link { uint32_t source, sink, flags; };
struct cv4l2_topology {
    struct cv4l2_entity *_Nullable entities;
    struct cv4l2_interface *_Nullable interfaces;
    struct cv4l2_pad *_Nullable pads;
    struct cv4l2_link *_Nullable links;
    uint32_t entity_count, interface_count, pad_count, link_count;
};
/// Reads a media controller's graph, which has to be freed; -E2BIG for one with more than some thousand parts.
int cv4l2_get_topology(int fd, struct cv4l2_topology *_Nonnull topology);
void cv4l2_free_topology(struct cv4l2_topology *_Nonnull topology);
