#include "CAlsa.h"
#include <alsa/asoundlib.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void silence(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

static void copy(char *to, size_t room, const char *from) { snprintf(to, room, "%s", from ? from : ""); }

int calsa_probe(const char *folder, int card) {
    char path[256];
    int length = snprintf(path, sizeof path, "%s/controlC%d", folder, card);
    if (length < 0 || (size_t)length >= sizeof path) return -ENAMETOOLONG;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    close(descriptor);
    return 0;
}

int calsa_list(int card, struct calsa_device *devices, int room) {
    // alsa-lib writes what it dislikes to standard error.
    snd_lib_error_set_handler(silence);
    char name[16];
    snprintf(name, sizeof name, "hw:%d", card);
    snd_ctl_t *control;
    int result = snd_ctl_open(&control, name, SND_CTL_READONLY | SND_CTL_NONBLOCK);
    if (result < 0) return result;
    snd_ctl_card_info_t *info;
    snd_pcm_info_t *pcm;
    snd_ctl_card_info_alloca(&info);
    snd_pcm_info_alloca(&pcm);
    int found = 0;
    result = snd_ctl_card_info(control, info);
    int device = -1;
    while (result >= 0 && snd_ctl_pcm_next_device(control, &device) >= 0 && device >= 0) {
        snd_pcm_info_set_device(pcm, device);
        snd_pcm_info_set_subdevice(pcm, 0);
        snd_pcm_info_set_stream(pcm, SND_PCM_STREAM_CAPTURE);
        // A device that only plays is none.
        if (snd_ctl_pcm_info(control, pcm) < 0) continue;
        if (found < room) {
            struct calsa_device *place = &devices[found];
            memset(place, 0, sizeof *place);
            place->card = card;
            place->device = device;
            place->subdevices = snd_pcm_info_get_subdevices_count(pcm);
            place->free_subdevices = snd_pcm_info_get_subdevices_avail(pcm);
            copy(place->card_id, sizeof place->card_id, snd_ctl_card_info_get_id(info));
            copy(place->driver, sizeof place->driver, snd_ctl_card_info_get_driver(info));
            copy(place->card_name, sizeof place->card_name, snd_ctl_card_info_get_name(info));
            copy(place->long_name, sizeof place->long_name, snd_ctl_card_info_get_longname(info));
            copy(place->device_id, sizeof place->device_id, snd_pcm_info_get_id(pcm));
            copy(place->device_name, sizeof place->device_name, snd_pcm_info_get_name(pcm));
        }
        found += 1;
    }
    snd_ctl_close(control);
    return result < 0 ? result : found;
}
