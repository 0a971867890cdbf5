#include "CLinuxService.h"
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

// The second number of /proc/self/statm (proc(5)), in bytes.
static size_t resident(void) {
    char text[128];
    int descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ssize_t count = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    if (count <= 0) return 0;
    text[count] = 0;
    char *end;
    (void)strtoul(text, &end, 10);
    return (size_t)strtoul(end, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

size_t clinux_trim_memory(size_t slack) {
    struct mallinfo2 info = mallinfo2();
    if (info.fordblks <= slack) return 0;
    // What was given back before still counts as free; only what is resident beyond what is used is worth the work.
    size_t before = resident();
    if (before <= info.uordblks + info.hblkhd + slack) return 0;
    malloc_trim(0);
    size_t after = resident();
    return before > after ? before - after : 0;
}
