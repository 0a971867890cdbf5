#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// netlink(7) socket of NETLINK_KOBJECT_UEVENT, bound to multicast groups, non-blocking, with SCM_CREDENTIALS and as much
/// room for messages as the kernel allows up to `room` bytes: sockaddr_nl and the constants are not in Glibc's module map.
/// Gives the descriptor, or -1 with errno.
int clinux_device_event_socket(uint32_t groups, int room);
/// Who sent a message: the kernel is port 0 of its group; `user` is -1 where nobody vouches for one.
struct clinux_sender {
    int is_netlink;
    uint32_t port, groups;
    int64_t user;
};
/// recvmsg(2) of one message without waiting: CMSG_* are macros. A message longer than the room sets `is_cut`. Gives the
/// bytes, or the negative of errno (ENOBUFS: messages were lost).
ssize_t clinux_receive_device_event(
    int socket, void *_Nonnull bytes, size_t capacity, struct clinux_sender *_Nonnull sender, int *_Nonnull is_cut);
/// sendto(2) of one message to multicast groups: what udevd does, and what tests do. Gives 0, or -1 with errno.
int clinux_send_device_event(int socket, uint32_t groups, const void *_Nonnull bytes, size_t count);
/// inotify_init1(2), non-blocking and closed by exec. Gives the descriptor, or -1 with errno.
int clinux_inotify(void);
/// inotify_add_watch(2) for entries of a folder that come, go, are renamed or change their attributes, and for the
/// folder itself: the flags are macros over unsigned constants. Gives the watch, or -1 with errno.
int clinux_watch_folder(int inotify, const char *_Nonnull path);
/// epoll_create1(2) with descriptors that are ready for reading: one descriptor to wait on for all of them. Negative ones
/// are left out. Gives the descriptor, or -1 with errno.
int clinux_readiness_of(const int *_Nonnull descriptors, size_t count);
