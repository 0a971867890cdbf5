#pragma once
#include <stdint.h>

// Why shims: libv4lconvert takes `v4l2_format`, a union over both interfaces that does not import, and asks a device
// for what it is. Here it gets no device: what it converts follows from the formats alone, and never from its list of
// cameras that hang upside down, or from settings that another program left in shared memory.

struct cvconv;

/// A picture's format, with rows without padding.
struct cvconv_format {
    uint32_t width, height, pixelformat, bytesperline, sizeimage;
};

/// A converter, or null without memory.
struct cvconv *_Nullable cvconv_create(void);
void cvconv_destroy(struct cvconv *_Nonnull converter);

/// Converts one picture. The library may write to the source.
///
/// Returns the bytes written, or -1 for a picture that can not be converted.
int cvconv_convert(struct cvconv *_Nonnull converter, struct cvconv_format from, struct cvconv_format to,
    uint8_t *_Nonnull source, int source_size, uint8_t *_Nonnull target, int target_size);
