#pragma once
#include <stdint.h>

// Why shims: ALSA's parameters and infos are opaque and made by macros over alloca, times are given through nested
// unions of headers that do not import, and a device is set up by two dozen calls of which each may fail.
//
// Each returns 0 or more, or the negative of errno as alsa-lib has it.

/// A device that gives sound, as its card describes it.
struct calsa_device {
    /// The card's number now, and its number on the card.
    int32_t card, device;
    /// How many may use it at once, and how many more may now.
    uint32_t subdevices, free_subdevices;
    char card_id[32], driver[32], card_name[96], long_name[160], device_id[80], device_name[96];
};

/// Whether a card is there and may be looked at: opens and closes `FOLDER/controlC<card>`, which disturbs nobody.
///
/// alsa-lib's own enumeration (`snd_card_next`) passes over cards that it can not open, as if there were none.
int calsa_probe(const char *_Nonnull folder, int card);

/// Lists the devices of a card that give sound; `room` is how many fit.
///
/// Returns how many there are, which can be more; looks at the card's control node and opens no device.
int calsa_list(int card, struct calsa_device *_Nonnull devices, int room);

/// An open device.
struct calsa_pcm;

/// What a device was set to.
struct calsa_setting {
    uint32_t rate, channels;
    /// Frames of one period, and that there is room for.
    uint32_t period, buffer;
};

/// Where sound that is read next was taken.
struct calsa_position {
    /// Frames that can be read now.
    uint32_t available;
    /// CLOCK_MONOTONIC in microseconds at which so many were available; 0 where the device does not tell.
    int64_t microseconds;
};

/// Opens a device for 16-bit little-endian frames, near to the rate and channels in `setting`, which is set to what it became.
///
/// Does not wait for a device that is in use, and starts nothing. Periods are about 20 ms, the buffer half a second.
int calsa_open(const char *_Nonnull name, struct calsa_setting *_Nonnull setting,
               struct calsa_pcm *_Nullable *_Nonnull opened);
void calsa_close(struct calsa_pcm *_Nullable pcm);
/// Stops it at once; what was not read is gone.
int calsa_drop(struct calsa_pcm *_Nonnull pcm);
/// Makes a stopped one ready to start. -EBUSY: it runs.
int calsa_prepare(struct calsa_pcm *_Nonnull pcm);
int calsa_start(struct calsa_pcm *_Nonnull pcm);
/// Goes on after the machine slept: 0 when it did, -EAGAIN while it does not yet, else it has to be started anew.
int calsa_resume(struct calsa_pcm *_Nonnull pcm);
/// The descriptor to wait for.
int calsa_descriptor(struct calsa_pcm *_Nonnull pcm);
int calsa_locate(struct calsa_pcm *_Nonnull pcm, struct calsa_position *_Nonnull position);
/// Reads up to `frames`; returns how many. -EAGAIN: none yet. -EPIPE: an overrun. -ESTRPIPE: the machine slept. -ENODEV: gone.
int calsa_read(struct calsa_pcm *_Nonnull pcm, int16_t *_Nonnull samples, uint32_t frames);
