#pragma once
#include <stdint.h>
#include <sys/types.h>

/// One resource limit, soft and hard alike; setrlimit(2).
struct clinux_limit {
    int resource;
    uint64_t value;
};
/// What a child is to be given. Between fork(2) and exec only async-signal-safe calls are allowed, so this is C.
struct clinux_spawn {
    const char *_Nonnull path;
    char *_Nullable const *_Nonnull arguments;
    char *_Nullable const *_Nonnull environment;
    const char *_Nullable working_directory;
    /// Pairs: descriptors[2i] here becomes descriptors[2i+1] there. All others are closed by exec.
    const int *_Nullable descriptors;
    int descriptor_count;
    const struct clinux_limit *_Nullable limits;
    int limit_count;
    int new_process_group;
    int new_session;
    /// -1 keeps the identity. Otherwise the supplementary groups become these, then the group, then the user is set.
    int64_t user, group;
    const gid_t *_Nullable groups;
    int group_count;
    /// 0 for none: PR_SET_PDEATHSIG.
    int parent_death_signal;
    /// PR_SET_NO_NEW_PRIVS.
    int no_new_privileges;
};
/// fork(2), the above, execve(2). Gives the pid; on failure -1, with errno, and the failed step's name in *step.
/// Runs on a thread of its own that never ends, because PR_SET_PDEATHSIG counts the *thread* that forked as the parent.
pid_t clinux_spawn(const struct clinux_spawn *_Nonnull request, const char *_Nullable *_Nonnull step);
/// pidfd_open(2): no wrapper in Glibc's module map.
int clinux_pidfd_open(pid_t pid);
/// pidfd_send_signal(2): as above.
int clinux_pidfd_signal(int pidfd, int signal);
/// waitid(2) with P_PIDFD: siginfo_t's fields are macros. Gives 1 and the outcome, 0 when it still runs, -1 with errno.
int clinux_pidfd_wait(int pidfd, int blocks, int *_Nonnull is_signal, int *_Nonnull value);
/// RLIMIT_* are an enumeration in Glibc's module map.
int clinux_limit_address_space(void);
int clinux_limit_processor_time(void);
int clinux_limit_open_files(void);
int clinux_limit_core(void);
int clinux_limit_file_size(void);
/// The environment of this process; `environ` is a mutable global, which Swift 6 refuses.
char *_Nullable const *_Nonnull clinux_environment(void);
/// prctl(2) PR_SET_NO_NEW_PRIVS and seccomp(2) with a filter of struct sock_filter, which is built of macros: from now on this
/// process, with all its threads, can use the descriptors it has and its memory, start threads and end. Whatever would open,
/// connect, execute or change anything else fails with EPERM. It can not be undone. Gives 0, or an error number.
int clinux_confine_to_descriptors(void);
