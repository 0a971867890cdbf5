#include "CLinux.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags, mode);
}

int clinux_open_beneath(int directory, const char *path, int flags, mode_t mode) {
    struct open_how how = {
        .flags = (unsigned)flags,
        .mode = (flags & O_CREAT) ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int clinux_rename(int from, const char *name, int to, const char *new_name, unsigned flags) {
    return renameat2(from, name, to, new_name, flags);
}

int clinux_set_nonblocking(int descriptor, int is_nonblocking) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) return -1;
    return fcntl(descriptor, F_SETFL, is_nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

int clinux_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

int clinux_pipe(int descriptors[2]) { return pipe2(descriptors, O_CLOEXEC); }

int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int clinux_seal(int descriptor) {
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_WRITE | F_SEAL_SEAL);
}

ssize_t clinux_copy_range(int from, int to, size_t length) {
    return copy_file_range(from, NULL, to, NULL, length, 0);
}

static void fill(struct clinux_status *status, const struct stat *found) {
    status->device = found->st_dev;
    status->inode = found->st_ino;
    status->links = found->st_nlink;
    status->size = found->st_size;
    status->allocated = (int64_t)found->st_blocks * 512;
    status->mode = found->st_mode;
    status->owner = found->st_uid;
    status->group = found->st_gid;
    status->modified_seconds = found->st_mtim.tv_sec;
    status->modified_nanoseconds = found->st_mtim.tv_nsec;
    status->changed_seconds = found->st_ctim.tv_sec;
    status->changed_nanoseconds = found->st_ctim.tv_nsec;
}

int clinux_status_of(int descriptor, struct clinux_status *status) {
    struct stat found;
    if (fstat(descriptor, &found) != 0) return -1;
    fill(status, &found);
    return 0;
}

int clinux_status_at(int directory, const char *path, struct clinux_status *status) {
    struct stat found;
    if (fstatat(directory, path, &found, AT_SYMLINK_NOFOLLOW) != 0) return -1;
    fill(status, &found);
    return 0;
}

int clinux_space_of(int descriptor, struct clinux_space *space) {
    struct statfs found;
    if (fstatfs(descriptor, &found) != 0) return -1;
    space->total = (uint64_t)found.f_blocks * (uint64_t)found.f_bsize;
    space->available = (uint64_t)found.f_bavail * (uint64_t)found.f_bsize;
    space->total_inodes = found.f_files;
    space->available_inodes = found.f_ffree;
    space->type = (int64_t)found.f_type;
    return 0;
}

int clinux_list(int descriptor, int (*visit)(void *, const char *, unsigned char), void *context) {
    DIR *directory = fdopendir(descriptor);
    if (!directory) {
        int number = errno;
        close(descriptor);
        errno = number;
        return -1;
    }
    int number = 0;
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(directory);
        if (!entry) {
            number = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (visit(context, entry->d_name, entry->d_type) != 0) break;
    }
    closedir(directory);
    errno = number;
    return number ? -1 : 0;
}

enum { most_descriptors = 16 };
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * most_descriptors)];
};

ssize_t clinux_send_message(
    int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count) {
    if (descriptor_count > most_descriptors) {
        errno = EMSGSIZE;
        return -1;
    }
    union control control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor_count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t clinux_receive_message(
    int socket, void *bytes, size_t capacity, int *descriptors, size_t descriptor_capacity, size_t *descriptor_count) {
    union control control;
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *descriptor_count = 0;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return -1;
    int is_cut = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < count; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
            if (*descriptor_count < descriptor_capacity) {
                descriptors[(*descriptor_count)++] = descriptor;
            } else {
                close(descriptor);
                is_cut = 1;
            }
        }
    }
    if (is_cut) {
        for (size_t index = 0; index < *descriptor_count; index++) close(descriptors[index]);
        *descriptor_count = 0;
        errno = EMSGSIZE;
        return -1;
    }
    return received;
}

int clinux_packet_pair(int descriptors[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, descriptors);
}

int clinux_wait(int descriptor, short events, int milliseconds) {
    struct pollfd wait = {.fd = descriptor, .events = events};
    return poll(&wait, 1, milliseconds);
}
