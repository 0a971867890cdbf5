// Round trips and throughput over ipc: of an Obscura service, and of bare libzmq (ROUTER and DEALER with the same
// frames, and nothing else) to compare with. Prints one line of JSON.
//
//   wire trips bare|SOCKET COUNT           one request after the other; `service.health` of a service
//   wire bytes bare|SOCKET CHUNK SIZE URL  one stream of SIZE bytes; `library.read` of a service
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { CREDIT = 8, WARM_UP = 200 };

static void *context;
static char address[256];
static size_t chunk;
static long long total;

static void die(const char *what) {
    fprintf(stderr, "%s: %s\n", what, zmq_strerror(errno));
    exit(1);
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void send_frame(void *socket, const void *bytes, size_t size, int more) {
    if (zmq_send(socket, bytes, size, more ? ZMQ_SNDMORE : 0) < 0) die("send");
}

static void send_text(void *socket, const char *text, int more) { send_frame(socket, text, strlen(text), more); }

// Receives a message; the header goes into the buffer, and the size of the attachments is the result.
static size_t receive(void *socket, char *header, size_t size) {
    size_t attachments = 0;
    int more = 1;
    for (int index = 0; more; index++) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, socket, 0) < 0) die("receive");
        if (index == 1) {
            size_t length = zmq_msg_size(&frame) < size - 1 ? zmq_msg_size(&frame) : size - 1;
            memcpy(header, zmq_msg_data(&frame), length);
            header[length] = 0;
        } else if (index >= 3) {
            attachments += zmq_msg_size(&frame);
        }
        more = zmq_msg_more(&frame);
        zmq_msg_close(&frame);
    }
    return attachments;
}

static int is(const char *header, const char *kind) {
    char text[64];
    snprintf(text, sizeof text, "\"kind\":\"%s\"", kind);
    return strstr(header, text) != NULL;
}

// The other side of bare libzmq: answers requests, and sends chunks as credit allows, on a thread as a service does.
static void *bare(void *bytes) {
    void *socket = zmq_socket(context, ZMQ_ROUTER);
    if (zmq_bind(socket, address) < 0) die("bind");
    char *data = malloc(chunk ? chunk : 1);
    memset(data, 7, chunk ? chunk : 1);
    long long left = 0;
    int credit = 0;
    for (;;) {
        char peer[256], header[1024];
        int size = zmq_recv(socket, peer, sizeof peer, 0);
        if (size < 0) return NULL;
        receive(socket, header, sizeof header);
        if (!bytes) {
            send_frame(socket, peer, size, 1);
            send_text(socket, "OBS1", 1);
            send_text(socket, "{\"kind\":\"reply\",\"id\":\"1\"}", 1);
            send_text(socket, "{\"name\":\"bare\"}", 0);
            continue;
        }
        if (is(header, "request")) left = total, credit = CREDIT;
        else credit++;
        while (left > 0 && credit > 0) {
            size_t part = left < (long long)chunk ? (size_t)left : chunk;
            send_frame(socket, peer, size, 1);
            send_text(socket, "OBS1", 1);
            send_text(socket, "{\"kind\":\"item\",\"id\":\"1\",\"seq\":0}", 1);
            send_text(socket, "{}", 1);
            send_frame(socket, data, part, 0);
            left -= part, credit--;
        }
        if (left == 0) {
            send_frame(socket, peer, size, 1);
            send_text(socket, "OBS1", 1);
            send_text(socket, "{\"kind\":\"end\",\"id\":\"1\"}", 1);
            send_text(socket, "{}", 0);
            left = -1;
        }
    }
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void trips(void *socket, int count) {
    double *times = malloc(sizeof(double) * count);
    char header[1024];
    for (int index = -WARM_UP; index < count; index++) {
        char request[160];
        snprintf(request, sizeof request,
                 "{\"kind\":\"request\",\"id\":\"%d\",\"name\":\"service.health\",\"deadline\":5000,\"version\":1}",
                 index + WARM_UP + 1);
        double start = now_us();
        send_text(socket, "OBS1", 1);
        send_text(socket, request, 1);
        send_text(socket, "{}", 0);
        do receive(socket, header, sizeof header);
        while (is(header, "ping"));
        if (!is(header, "reply")) {
            fprintf(stderr, "not a reply: %s\n", header);
            exit(1);
        }
        if (index >= 0) times[index] = now_us() - start;
    }
    qsort(times, count, sizeof(double), by_value);
    printf("{\"trips\": %d, \"p50_us\": %.1f, \"p99_us\": %.1f}\n", count, times[count / 2], times[count * 99 / 100]);
}

static void stream(void *socket, const char *url) {
    char body[512], header[1024], request[160];
    snprintf(body, sizeof body, "{\"url\":\"%s\",\"chunk\":%zu}", url, chunk);
    snprintf(request, sizeof request,
             "{\"kind\":\"request\",\"id\":\"1\",\"name\":\"library.read\",\"credit\":%d,\"version\":1}", CREDIT);
    double start = now_us();
    send_text(socket, "OBS1", 1);
    send_text(socket, request, 1);
    send_text(socket, body, 0);
    long long got = 0;
    for (;;) {
        got += receive(socket, header, sizeof header);
        if (is(header, "end")) break;
        if (is(header, "ping")) continue;
        if (!is(header, "item")) {
            fprintf(stderr, "not an item: %s\n", header);
            exit(1);
        }
        send_text(socket, "OBS1", 1);
        send_text(socket, "{\"kind\":\"credit\",\"id\":\"1\",\"credit\":1}", 1);
        send_text(socket, "{}", 0);
    }
    if (got != total) {
        fprintf(stderr, "%lld of %lld bytes came\n", got, total);
        exit(1);
    }
    double seconds = (now_us() - start) / 1e6;
    printf("{\"bytes\": %lld, \"seconds\": %.3f, \"mb_per_s\": %.0f}\n", got, seconds, got / 1e6 / seconds);
}

int main(int count, char **arguments) {
    int bytes = count == 6 && strcmp(arguments[1], "bytes") == 0;
    if (!bytes && !(count == 4 && strcmp(arguments[1], "trips") == 0)) {
        fprintf(stderr, "usage: wire trips bare|SOCKET COUNT, or wire bytes bare|SOCKET CHUNK SIZE URL\n");
        return 64;
    }
    if (bytes) chunk = strtoull(arguments[3], NULL, 10), total = strtoll(arguments[4], NULL, 10);
    context = zmq_ctx_new();
    int is_bare = strcmp(arguments[2], "bare") == 0;
    if (is_bare) snprintf(address, sizeof address, "ipc:///tmp/obscura-bare-%d.sock", getpid());
    else snprintf(address, sizeof address, "ipc://%s", arguments[2]);
    pthread_t thread;
    if (is_bare) pthread_create(&thread, NULL, bare, bytes ? &chunk : NULL);

    void *socket = zmq_socket(context, ZMQ_DEALER);
    int zero = 0, one = 1, patience = 30000;
    zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof zero);
    zmq_setsockopt(socket, ZMQ_IMMEDIATE, &one, sizeof one);
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience, sizeof patience);
    zmq_setsockopt(socket, ZMQ_SNDTIMEO, &patience, sizeof patience);
    if (zmq_connect(socket, address) < 0) die("connect");
    if (bytes) stream(socket, arguments[5]);
    else trips(socket, atoi(arguments[3]));
    if (is_bare) unlink(address + strlen("ipc://"));
    fflush(stdout);
    _exit(0);
}
