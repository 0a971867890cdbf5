#include "CLinuxService.h"
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int fill(const char *text, struct sockaddr_un *address, socklen_t *length) {
    size_t count = strlen(text);
    if (count == 0 || count >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, text, count);
    *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + 1);
    if (text[0] == '@') {
        address->sun_path[0] = 0;
        *length -= 1;
    }
    return 0;
}

int clinux_notify(const char *text, const void *bytes, size_t count) {
    struct sockaddr_un address;
    socklen_t length;
    if (fill(text, &address, &length) < 0) return -1;
    int socket_descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_descriptor < 0) return -1;
    ssize_t sent = sendto(
        socket_descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, length);
    int error = errno;
    close(socket_descriptor);
    errno = error;
    return sent < 0 ? -1 : 0;
}

int clinux_notify_listen(const char *text, mode_t mode) {
    struct sockaddr_un address;
    socklen_t length;
    if (fill(text, &address, &length) < 0) return -1;
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    if (text[0] != '@') unlink(text);
    // The mode by the mask, not by chmod(2) afterwards: what has the name then may be something else.
    mode_t before = umask(0777 & ~mode);
    int bound = bind(descriptor, (struct sockaddr *)&address, length);
    int error = errno;
    umask(before);
    if (bound < 0) {
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

int clinux_signal_descriptor(const int *signals, size_t count) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t index = 0; index < count; index++) sigaddset(&set, signals[index]);
    int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int clinux_read_signal(int descriptor) {
    struct signalfd_siginfo info;
    return read(descriptor, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

int clinux_ignores_signal(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void clinux_ignore_broken_pipes(void) { signal(SIGPIPE, SIG_IGN); }

static int lower(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) < 0) return -1;
    if (limit.rlim_max != RLIM_INFINITY && value > limit.rlim_max) value = limit.rlim_max;
    limit.rlim_cur = value;
    return setrlimit(resource, &limit);
}

int clinux_limit_own_memory(uint64_t value) { return lower(RLIMIT_AS, value); }
int clinux_limit_own_files(uint64_t value) { return lower(RLIMIT_NOFILE, value); }
