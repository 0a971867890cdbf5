#include "CAlsa.h"
#include <alsa/asoundlib.h>
#include <stdio.h>
#include <string.h>

static void silence(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

static void copy(char *to, size_t room, const char *from) { snprintf(to, room, "%s", from ? from : ""); }

static int list_card(int card, struct calsa_device *devices, int room, int found, int *denied) {
    char name[16];
    snprintf(name, sizeof name, "hw:%d", card);
    snd_ctl_t *control;
    int result = snd_ctl_open(&control, name, SND_CTL_READONLY | SND_CTL_NONBLOCK);
    if (result < 0) {
        if (result == -EACCES || result == -EPERM) *denied += 1;
        return found;
    }
    snd_ctl_card_info_t *info;
    snd_pcm_info_t *pcm;
    snd_ctl_card_info_alloca(&info);
    snd_pcm_info_alloca(&pcm);
    if (snd_ctl_card_info(control, info) >= 0) {
        int device = -1;
        while (snd_ctl_pcm_next_device(control, &device) >= 0 && device >= 0) {
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
    }
    snd_ctl_close(control);
    return found;
}

int calsa_list(struct calsa_device *devices, int room, int *denied) {
    // alsa-lib writes what it dislikes to standard error.
    snd_lib_error_set_handler(silence);
    int found = 0;
    int card = -1;
    *denied = 0;
    while (snd_card_next(&card) >= 0 && card >= 0) found = list_card(card, devices, room, found, denied);
    return found;
}
