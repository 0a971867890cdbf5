#include "CAlsa.h"
#include <alsa/asoundlib.h>
#include <poll.h>
#include <stdlib.h>

struct calsa_pcm {
    snd_pcm_t *handle;
};

static void silence(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

static int set_hardware(snd_pcm_t *handle, struct calsa_setting *setting) {
    snd_pcm_hw_params_t *hardware;
    snd_pcm_hw_params_alloca(&hardware);
    unsigned rate = setting->rate, channels = setting->channels;
    int result;
    if ((result = snd_pcm_hw_params_any(handle, hardware)) < 0) return result;
    if ((result = snd_pcm_hw_params_set_access(handle, hardware, SND_PCM_ACCESS_RW_INTERLEAVED)) < 0) return result;
    if ((result = snd_pcm_hw_params_set_format(handle, hardware, SND_PCM_FORMAT_S16_LE)) < 0) return result;
    if ((result = snd_pcm_hw_params_set_channels_near(handle, hardware, &channels)) < 0) return result;
    if ((result = snd_pcm_hw_params_set_rate_near(handle, hardware, &rate, NULL)) < 0) return result;
    snd_pcm_uframes_t buffer = rate / 2, period = rate / 50;
    if ((result = snd_pcm_hw_params_set_buffer_size_near(handle, hardware, &buffer)) < 0) return result;
    if ((result = snd_pcm_hw_params_set_period_size_near(handle, hardware, &period, NULL)) < 0) return result;
    if ((result = snd_pcm_hw_params(handle, hardware)) < 0) return result;
    if ((result = snd_pcm_hw_params_get_channels(hardware, &channels)) < 0) return result;
    if ((result = snd_pcm_hw_params_get_rate(hardware, &rate, NULL)) < 0) return result;
    if ((result = snd_pcm_get_params(handle, &buffer, &period)) < 0) return result;
    *setting = (struct calsa_setting){rate, channels, (uint32_t)period, (uint32_t)buffer};
    return 0;
}

/// Wakes for each period, and keeps times of the clock of video frames.
static int set_software(snd_pcm_t *handle, const struct calsa_setting *setting) {
    snd_pcm_sw_params_t *software;
    snd_pcm_sw_params_alloca(&software);
    int result;
    if ((result = snd_pcm_sw_params_current(handle, software)) < 0) return result;
    if ((result = snd_pcm_sw_params_set_avail_min(handle, software, setting->period)) < 0) return result;
    if ((result = snd_pcm_sw_params_set_tstamp_mode(handle, software, SND_PCM_TSTAMP_ENABLE)) < 0) return result;
    if ((result = snd_pcm_sw_params_set_tstamp_type(handle, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)) < 0) return result;
    return snd_pcm_sw_params(handle, software);
}

int calsa_open(const char *name, struct calsa_setting *setting, struct calsa_pcm **opened) {
    snd_lib_error_set_handler(silence);
    snd_pcm_t *handle;
    int result = snd_pcm_open(&handle, name, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK);
    if (result < 0) return result;
    result = set_hardware(handle, setting);
    if (result >= 0) result = set_software(handle, setting);
    struct calsa_pcm *pcm = result < 0 ? NULL : malloc(sizeof *pcm);
    if (!pcm) {
        snd_pcm_close(handle);
        return result < 0 ? result : -ENOMEM;
    }
    pcm->handle = handle;
    *opened = pcm;
    return 0;
}

void calsa_close(struct calsa_pcm *pcm) {
    if (!pcm) return;
    snd_pcm_close(pcm->handle);
    free(pcm);
}

int calsa_drop(struct calsa_pcm *pcm) { return snd_pcm_drop(pcm->handle); }

int calsa_prepare(struct calsa_pcm *pcm) { return snd_pcm_prepare(pcm->handle); }

int calsa_start(struct calsa_pcm *pcm) { return snd_pcm_start(pcm->handle); }

int calsa_resume(struct calsa_pcm *pcm) { return snd_pcm_resume(pcm->handle); }

int calsa_descriptor(struct calsa_pcm *pcm) {
    // Devices of the kernel have one, and so has a conversion of one.
    struct pollfd wait;
    int result = snd_pcm_poll_descriptors(pcm->handle, &wait, 1);
    if (result < 0) return result;
    return result == 1 ? wait.fd : -ENOSYS;
}

int calsa_locate(struct calsa_pcm *pcm, struct calsa_position *position) {
    snd_pcm_uframes_t available = 0;
    snd_htimestamp_t time = {0, 0};
    // Brings the position up to date with the hardware; the time goes with it.
    snd_pcm_sframes_t result = snd_pcm_avail(pcm->handle);
    if (result < 0) return (int)result;
    int stamped = snd_pcm_htimestamp(pcm->handle, &available, &time);
    if (stamped < 0) return stamped;
    position->available = (uint32_t)available;
    position->microseconds = (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
    return 0;
}

int calsa_read(struct calsa_pcm *pcm, int16_t *samples, uint32_t frames) {
    return (int)snd_pcm_readi(pcm->handle, samples, frames);
}
