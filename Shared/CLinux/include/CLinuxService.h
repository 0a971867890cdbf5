#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// sd_notify(3) without libsystemd: one datagram to the socket at `address` ("@" begins an abstract name). sockaddr_un's
/// path is a C array, which Swift sees as a tuple of 108. Gives 0, or -1 with errno.
int clinux_notify(const char *_Nonnull address, const void *_Nonnull bytes, size_t count);
/// The other end of it: a bound, non-blocking datagram socket with the mode given; an old socket file is removed.
/// The mask of the process is another one for a moment: call it before other threads make files.
int clinux_notify_listen(const char *_Nonnull address, mode_t mode);
/// pthread_sigmask(3) and signalfd(2): sigset_t is a macro's business. Blocks the `count` signals in the calling thread
/// (call it before other threads start) and gives a non-blocking descriptor that tells them.
int clinux_signal_descriptor(const int *_Nonnull signals, size_t count);
/// Reads one signal's number from such a descriptor; 0 when there is none.
int clinux_read_signal(int descriptor);
/// sigaction(2): 1 when this process ignores the signal; SIG_IGN is a macro with a cast.
int clinux_ignores_signal(int signal);
/// signal(2) with SIG_IGN, which is a macro with a cast, for SIGPIPE.
void clinux_ignore_broken_pipes(void);
/// setrlimit(2) for this process: RLIMIT_AS and RLIMIT_NOFILE are an enumeration in Glibc's module map. The soft limit
/// is lowered to `value`, never raised beyond the hard one. Gives 0, or -1 with errno.
int clinux_limit_own_memory(uint64_t value);
int clinux_limit_own_files(uint64_t value);
/// malloc_trim(3) when more than `slack` freed bytes are still resident: libzmq's thread frees and keeps what a burst of
/// large messages has filled, since glibc gives back only the end of a heap. mallinfo2(3) is not in Glibc's module map.
/// Gives the bytes that were given back; 0 when nothing was to do.
size_t clinux_trim_memory(size_t slack);
