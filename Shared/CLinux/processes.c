#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

extern char **environ;
char *const *clinux_environment(void) { return environ; }

static const char *const steps[] = {
    "fork", "signals", "process group", "working directory", "limits", "descriptors", "groups", "group", "user",
    "parent death signal", "no new privileges", "execute",
};
enum step { fork_step, signals, process_group, working_directory, limits, descriptors, groups, group, user, death, privileges,
            execute };
struct failure {
    int step, number;
};

static void give_up(int report, int step) {
    struct failure failure = {step, errno};
    ssize_t written = write(report, &failure, sizeof failure);
    (void)written;
    _exit(127);
}

// Runs in the child: async-signal-safe calls only (signal-safety(7)), no memory is taken.
static void become(const struct clinux_spawn *request, pid_t parent, int report) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++) (void)sigaction(number, &action, NULL);
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) give_up(report, signals);
    if (request->new_session && setsid() < 0) give_up(report, process_group);
    if (request->new_process_group && !request->new_session && setpgid(0, 0) != 0) give_up(report, process_group);
    if (request->working_directory && chdir(request->working_directory) != 0) give_up(report, working_directory);

    // Out of the way of every target first, then into place.
    enum { most = 64 };
    int moved[most], highest = 2;
    if (request->descriptor_count > most) {
        errno = EMFILE;
        give_up(report, descriptors);
    }
    for (int index = 0; index < request->descriptor_count; index++) {
        int target = request->descriptors[2 * index + 1];
        if (target > highest) highest = target;
    }
    int high_report = fcntl(report, F_DUPFD_CLOEXEC, highest + 1);
    if (high_report < 0) give_up(report, descriptors);
    report = high_report;
    for (int index = 0; index < request->descriptor_count; index++) {
        moved[index] = fcntl(request->descriptors[2 * index], F_DUPFD_CLOEXEC, highest + 1);
        if (moved[index] < 0) give_up(report, descriptors);
    }
    for (int index = 0; index < request->descriptor_count; index++) {
        if (dup2(moved[index], request->descriptors[2 * index + 1]) < 0) give_up(report, descriptors);
    }
    // Whatever else is open, opened by whomever, ends with exec: 4 is CLOSE_RANGE_CLOEXEC.
    for (int descriptor = 3; descriptor <= highest; descriptor++) {
        int is_wanted = 0;
        for (int index = 0; index < request->descriptor_count; index++) {
            if (request->descriptors[2 * index + 1] == descriptor) is_wanted = 1;
        }
        if (!is_wanted) (void)close(descriptor);
    }
    (void)syscall(SYS_close_range, (unsigned)(highest + 1), ~0U, 4U);

    for (int index = 0; index < request->limit_count; index++) {
        struct rlimit limit = {request->limits[index].value, request->limits[index].value};
        if (setrlimit(request->limits[index].resource, &limit) != 0) give_up(report, limits);
    }
    if (request->group >= 0) {
        if (setgroups((size_t)request->group_count, request->groups) != 0) give_up(report, groups);
        if (setresgid((gid_t)request->group, (gid_t)request->group, (gid_t)request->group) != 0) give_up(report, group);
    }
    if (request->user >= 0 && setresuid((uid_t)request->user, (uid_t)request->user, (uid_t)request->user) != 0) {
        give_up(report, user);
    }
    // After the change of user, which clears it (PR_SET_PDEATHSIG(2const)).
    if (request->parent_death_signal != 0) {
        if (prctl(PR_SET_PDEATHSIG, request->parent_death_signal) != 0) give_up(report, death);
        if (getppid() != parent) _exit(127);
    }
    if (request->no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up(report, privileges);
    execve(request->path, request->arguments, request->environment);
    give_up(report, execute);
}

static pid_t spawn(const struct clinux_spawn *request, const char **step) {
    *step = steps[fork_step];
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return -1;
    pid_t parent = getpid();
    // No signal may run a handler of ours in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        close(report[0]);
        become(request, parent, report[1]);
    }
    int number = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(report[1]);
    if (child < 0) {
        close(report[0]);
        errno = number;
        return -1;
    }
    struct failure failure;
    ssize_t count;
    do { count = read(report[0], &failure, sizeof failure); } while (count < 0 && errno == EINTR);
    close(report[0]);
    if (count != (ssize_t)sizeof failure) return child;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    *step = steps[failure.step];
    errno = failure.number;
    return -1;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int has_thread;
static const struct clinux_spawn *waiting;
static int is_done, is_taken, result_number;
static pid_t result;
static const char *result_step;

static void *serve(void *unused) {
    (void)unused;
    (void)pthread_setname_np(pthread_self(), "spawn");
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!waiting) pthread_cond_wait(&changed, &lock);
        const struct clinux_spawn *request = waiting;
        waiting = NULL;
        pthread_mutex_unlock(&lock);
        const char *step;
        pid_t child = spawn(request, &step);
        int number = errno;
        pthread_mutex_lock(&lock);
        result = child;
        result_number = number;
        result_step = step;
        is_done = 1;
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

pid_t clinux_spawn(const struct clinux_spawn *request, const char **step) {
    pthread_mutex_lock(&lock);
    if (!has_thread) {
        pthread_t thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, 256 * 1024);
        int number = pthread_create(&thread, &attributes, serve, NULL);
        pthread_attr_destroy(&attributes);
        if (number != 0) {
            pthread_mutex_unlock(&lock);
            *step = steps[fork_step];
            errno = number;
            return -1;
        }
        has_thread = 1;
    }
    while (is_taken) pthread_cond_wait(&changed, &lock);
    is_taken = 1;
    is_done = 0;
    waiting = request;
    pthread_cond_broadcast(&changed);
    while (!is_done) pthread_cond_wait(&changed, &lock);
    pid_t child = result;
    int number = result_number;
    *step = result_step;
    is_taken = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    errno = number;
    return child;
}

int clinux_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0U); }
int clinux_pidfd_signal(int pidfd, int number) { return (int)syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0U); }

int clinux_pidfd_wait(int pidfd, int blocks, int *is_signal, int *value) {
    siginfo_t information;
    memset(&information, 0, sizeof information);
    if (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &information, WEXITED | (blocks ? 0 : WNOHANG)) != 0) return -1;
    if (information.si_pid == 0) return 0;
    *is_signal = information.si_code != CLD_EXITED;
    *value = information.si_status;
    return 1;
}

int clinux_limit_address_space(void) { return RLIMIT_AS; }
int clinux_limit_processor_time(void) { return RLIMIT_CPU; }
int clinux_limit_open_files(void) { return RLIMIT_NOFILE; }
int clinux_limit_core(void) { return RLIMIT_CORE; }
int clinux_limit_file_size(void) { return RLIMIT_FSIZE; }
