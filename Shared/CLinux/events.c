#include "CLinuxEvents.h"
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

static int fail(int descriptor) {
    int number = errno;
    close(descriptor);
    errno = number;
    return -1;
}

int clinux_device_event_socket(uint32_t groups, int room) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (descriptor < 0) return -1;
    int on = 1;
    if (setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0) return fail(descriptor);
    // Beyond net.core.rmem_max only with CAP_NET_ADMIN; less room means more rescans.
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) < 0)
        (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) return fail(descriptor);
    return descriptor;
}

ssize_t clinux_receive_device_event(
    int socket_descriptor, void *bytes, size_t capacity, struct clinux_sender *sender, int *is_cut) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    union {
        struct sockaddr any;
        struct sockaddr_nl netlink;
        struct sockaddr_storage room;
    } address;
    memset(&address, 0, sizeof address);
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr message = {
        .msg_name = &address,
        .msg_namelen = sizeof address,
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    ssize_t count;
    do { count = recvmsg(socket_descriptor, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC); } while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    *is_cut = (message.msg_flags & MSG_TRUNC) != 0;
    *sender = (struct clinux_sender){.user = -1};
    if (message.msg_namelen >= sizeof address.netlink && address.any.sa_family == AF_NETLINK) {
        sender->is_netlink = 1;
        sender->port = address.netlink.nl_pid;
        sender->groups = address.netlink.nl_groups;
    }
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
        if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_CREDENTIALS) continue;
        if (item->cmsg_len < CMSG_LEN(sizeof(struct ucred))) continue;
        struct ucred credentials;
        memcpy(&credentials, CMSG_DATA(item), sizeof credentials);
        sender->user = credentials.uid;
    }
    return count;
}

int clinux_send_device_event(int socket_descriptor, uint32_t groups, const void *bytes, size_t count) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    ssize_t sent = sendto(
        socket_descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address);
    return sent < 0 ? -1 : 0;
}

int clinux_inotify(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

int clinux_watch_folder(int inotify, const char *path) {
    return inotify_add_watch(
        inotify,
        path,
        IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR);
}

int clinux_readiness_of(const int *descriptors, size_t count) {
    int all = epoll_create1(EPOLL_CLOEXEC);
    if (all < 0) return -1;
    for (size_t index = 0; index < count; index++) {
        if (descriptors[index] < 0) continue;
        struct epoll_event event = {.events = EPOLLIN};
        if (epoll_ctl(all, EPOLL_CTL_ADD, descriptors[index], &event) < 0) return fail(all);
    }
    return all;
}
