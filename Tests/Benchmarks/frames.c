/* Encodes raw frames as JPEG with bare libjpeg-turbo, as a program that does nothing else would.
 *
 * usage: frames FILE WIDTH HEIGHT QUALITY COUNT   (FILE holds frames of YUYV; they are taken in turn)
 * Prints the processor's time for a frame in microseconds, and the bytes of all pictures. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <turbojpeg.h>

static double processor_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

int main(int argc, char **argv) {
    if (argc != 6) return 64;
    int width = atoi(argv[2]), height = atoi(argv[3]), quality = atoi(argv[4]), count = atoi(argv[5]);
    size_t pixels = (size_t)width * height, size = pixels * 2;
    FILE *file = fopen(argv[1], "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return 66;
    size_t frames = (size_t)ftell(file) / size;
    unsigned char *all = malloc(frames * size), *planes = malloc(size), *jpeg = NULL;
    rewind(file);
    if (frames == 0 || all == NULL || planes == NULL || fread(all, size, frames, file) != frames) return 66;
    unsigned char *parts[3] = {planes, planes + pixels, planes + pixels + pixels / 2};
    int strides[3] = {width, width / 2, width / 2};
    tjhandle encoder = tjInitCompress();
    unsigned long room = 0, total = 0;
    double begin = processor_microseconds();
    for (int number = 0; number < count; number++) {
        const unsigned char *from = all + number % frames * size;
        for (size_t pair = 0; pair < pixels / 2; pair++) {
            parts[0][2 * pair] = from[4 * pair];
            parts[1][pair] = from[4 * pair + 1];
            parts[0][2 * pair + 1] = from[4 * pair + 2];
            parts[2][pair] = from[4 * pair + 3];
        }
        unsigned long bytes = room;
        const unsigned char *sources[3] = {parts[0], parts[1], parts[2]};
        if (tjCompressFromYUVPlanes(encoder, sources, width, strides, height, TJSAMP_422, &jpeg, &bytes, quality, 0) != 0)
            return 70;
        if (bytes > room) room = bytes;
        total += bytes;
    }
    double took = processor_microseconds() - begin;
    printf("{\"us\": %.1f, \"bytes\": %lu}\n", took / count, total);
    return 0;
}
