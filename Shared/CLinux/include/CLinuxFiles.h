#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// open(2), openat(2): variadic, so they do not reach Swift. Directory -100 is the working directory.
int clinux_openat(int directory, const char *_Nonnull path, int flags, mode_t mode);
/// openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS: glibc has no wrapper.
int clinux_open_beneath(int directory, const char *_Nonnull path, int flags, mode_t mode);
/// renameat2(2): Glibc's module map leaves it out. Flag 1 is RENAME_NOREPLACE.
int clinux_rename(int from, const char *_Nonnull name, int to, const char *_Nonnull new_name, unsigned flags);
/// fcntl(2) is variadic: F_GETFL and F_SETFL for O_NONBLOCK.
int clinux_set_nonblocking(int descriptor, int is_nonblocking);
/// fcntl(2) is variadic: F_DUPFD_CLOEXEC, so that the copy is closed by exec.
int clinux_duplicate(int descriptor);
/// pipe2(2) with O_CLOEXEC: not in Glibc's module map.
int clinux_pipe(int descriptors[_Nonnull 2]);
/// memfd_create(2) with MFD_CLOEXEC | MFD_ALLOW_SEALING: not in Glibc's module map.
int clinux_memory_file(const char *_Nonnull name);
/// fcntl(2) is variadic: F_ADD_SEALS with seals against growing, shrinking, writing and more seals.
int clinux_seal(int descriptor);
/// copy_file_range(2) at the descriptors' own offsets: not in Glibc's module map.
ssize_t clinux_copy_range(int from, int to, size_t length);
/// struct stat's times are macros (st_mtim); this gives the fields Swift needs.
struct clinux_status {
    uint64_t device, inode, links;
    int64_t size, allocated;
    uint32_t mode, owner, group;
    int64_t modified_seconds, modified_nanoseconds, changed_seconds, changed_nanoseconds;
};
/// fstat(2), see clinux_status.
int clinux_status_of(int descriptor, struct clinux_status *_Nonnull status);
/// fstatat(2) with AT_SYMLINK_NOFOLLOW, see clinux_status.
int clinux_status_at(int directory, const char *_Nonnull path, struct clinux_status *_Nonnull status);
/// fstatfs(2): f_type, f_bavail and f_bsize have types that differ by architecture.
struct clinux_space {
    uint64_t total, available, total_inodes, available_inodes;
    int64_t type;
};
int clinux_space_of(int descriptor, struct clinux_space *_Nonnull space);

/// readdir(3) through fdopendir(3) on a descriptor it takes over: the name is a C array, which Swift sees as a tuple.
/// Calls back with each name but "." and ".." and its d_type; a non-zero answer ends the walk.
int clinux_list(
    int descriptor,
    int (*_Nonnull visit)(void *_Nullable context, const char *_Nonnull name, unsigned char type),
    void *_Nullable context);

/// sendmsg(2) with SCM_RIGHTS: CMSG_* are macros. Never raises SIGPIPE.
ssize_t clinux_send_message(
    int socket, const void *_Nullable bytes, size_t count, const int *_Nullable descriptors, size_t descriptor_count);
/// recvmsg(2) with SCM_RIGHTS and MSG_CMSG_CLOEXEC: CMSG_* are macros. A message or a set of descriptors that is larger
/// than the room for it fails with EMSGSIZE, and what came with it is closed. At most 16 descriptors.
ssize_t clinux_receive_message(
    int socket, void *_Nullable bytes, size_t capacity, int *_Nonnull descriptors, size_t descriptor_capacity,
    size_t *_Nonnull descriptor_count);
/// socketpair(2) of SOCK_SEQPACKET with SOCK_CLOEXEC: the types are an enumeration that Swift imports without arithmetic.
int clinux_packet_pair(int descriptors[_Nonnull 2]);
/// ppoll(2) of one descriptor, as a wait with a limit; milliseconds below zero wait without end. Restarted on EINTR
/// by the caller. Gives 1 when ready, 0 when the time is over.
int clinux_wait(int descriptor, short events, int milliseconds);
