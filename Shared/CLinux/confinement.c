#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define FIELD(name) (unsigned)offsetof(struct seccomp_data, name)
#define LOAD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(name))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), RETURN(SECCOMP_RET_ALLOW)
// A call that is allowed with some values of an argument alone: `count` times VALUE follow, then REFUSE. All these arguments
// are 32 bits to the kernel, which looks at no more of them either; of a word the low half comes first on both architectures.
#define WITH(call, argument, count) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 2 * (count) + 2), LOAD(args[argument])
#define VALUE(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), 0, 1), RETURN(SECCOMP_RET_ALLOW)
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)

// What a process may still ask the kernel for that works on descriptors it was handed: memory, threads, time, reading and
// writing, and its end. Nothing here opens, connects, executes, names a path or reaches another process: signals and limits
// are for itself alone, and no descriptor can be made to signal anybody (F_SETOWN, F_SETSIG and O_ASYNC of fcntl(2)).
// Source: seccomp(2); the filter is the kernel's Documentation/userspace-api/seccomp_filter.rst.
int clinux_confine_to_descriptors(void) {
#ifndef OUR_ARCHITECTURE
    return ENOSYS;
#else
    // It stays the same: no process can be made from here on.
    const pid_t self = getpid();
    struct sock_filter program[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCHITECTURE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW(pwrite64), ALLOW(lseek),
        ALLOW(recvmsg), ALLOW(sendmsg), ALLOW(close), ALLOW(fstat), ALLOW(ftruncate), ALLOW(dup),
        ALLOW(memfd_create), ALLOW(ppoll),
        ALLOW(mmap), ALLOW(munmap), ALLOW(mprotect), ALLOW(mremap), ALLOW(madvise), ALLOW(brk),
        ALLOW(futex), ALLOW(set_robust_list), ALLOW(set_tid_address), ALLOW(rseq), ALLOW(membarrier),
        ALLOW(sched_yield), ALLOW(sched_getaffinity), ALLOW(gettid), ALLOW(getpid), ALLOW(exit), ALLOW(exit_group),
        ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack), ALLOW(restart_syscall),
        ALLOW(clock_gettime), ALLOW(clock_getres), ALLOW(clock_nanosleep), ALLOW(nanosleep), ALLOW(gettimeofday),
        ALLOW(getrandom), ALLOW(getrusage), ALLOW(getrlimit), ALLOW(setrlimit), ALLOW(sysinfo),
        ALLOW(uname),
#ifdef __NR_poll
        ALLOW(poll),
#endif
        WITH(fcntl, 1, 6), VALUE(F_GETFD), VALUE(F_SETFD), VALUE(F_GETFL), VALUE(F_DUPFD_CLOEXEC), VALUE(F_ADD_SEALS),
        VALUE(F_GET_SEALS), REFUSE,
        // raise(3) and abort(3).
        WITH(tgkill, 0, 1), VALUE(self), REFUSE,
        // glibc's getrlimit(3) and setrlimit(3), which say 0 for the caller.
        WITH(prlimit64, 0, 1), VALUE(0), REFUSE,
        // A thread's own name.
        WITH(prctl, 0, 2), VALUE(PR_SET_NAME), VALUE(PR_GET_NAME), REFUSE,
        // glibc asks for the status of a descriptor so. A filter can not see whether the path is empty: the status of a named
        // file is all that can be had besides.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_newfstatat, 0, 4),
        LOAD(args[3]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1000 /* AT_EMPTY_PATH */, 0, 1),
        RETURN(SECCOMP_RET_ALLOW),
        REFUSE,
        // Threads, and no processes; with clone3(2), whose flags lie in memory, glibc goes back to clone(2).
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
        RETURN(SECCOMP_RET_ALLOW),
        REFUSE,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | ENOSYS),
        REFUSE,
    };
    struct sock_fprog filter = {sizeof program / sizeof program[0], program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    long result = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    return result == 0 ? 0 : result > 0 ? EBUSY : errno;
#endif
}
