/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader LIBRARY PID: a debugger of a hundred lines. Stops the threads of a process on GCC's
 * libgomp, answers the callbacks of the OMPD library from its memory (process_vm_readv), and
 * prints "LWP thread-number team-size" of each thread that is in a region.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

/* Of the specification's header, with whole numbers for its enumerations. */
typedef struct {
    uint64_t segment, address;
} address_t;
typedef struct {
    uint8_t of_char, of_short, of_int, of_long, of_long_long, of_pointer;
} sizes_t;
enum { ok, unavailable, error = 4, thread_scope = 3, region_scope = 4 };

static int pid;
static char any; /* every context: there is one process, and threads are known by their id */

static int take(uint64_t size, void **block) { return (*block = malloc(size)) ? ok : error; }
static int give_back(void *block) { return free(block), ok; }
static int print(const char *text, int category) {
    return fprintf(stderr, "%d %s", category, text), ok;
}
static int sizes(void *space, sizes_t *found) {
    *found = (sizes_t){1, 2, 4, 8, 8, 8};
    return space ? ok : error;
}

/* Where FILE begins in a process, by what is mapped of it first. */
static uint64_t base_of(int of, const char *file) {
    char path[64], line[PATH_MAX + 200], name[PATH_MAX] = "";
    uint64_t base = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", of);
    FILE *maps = fopen(path, "r");
    while (!base && maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%*s %*s %*s %*s %*s %s", &base, name) != 2 || strcmp(name, file))
            base = 0;
    if (maps)
        fclose(maps);
    return base;
}

/* This process has mapped the same libraries. */
static int symbol(void *space, void *thread, const char *name, address_t *found, const char *file) {
    Dl_info info;
    char real[PATH_MAX];
    void *own = dlsym(RTLD_DEFAULT, name);
    (void)space, (void)thread, (void)file;
    if (!own || !dladdr(own, &info) || !realpath(info.dli_fname, real))
        return error;
    const uint64_t base = base_of(pid, real);
    *found = (address_t){0, base + ((uint64_t)own - (uint64_t)info.dli_fbase)};
    return base ? ok : error;
}

static int read_memory(void *space, void *thread, const address_t *from, uint64_t size, void *out) {
    const struct iovec here = {out, size}, there = {(void *)from->address, size};
    (void)space, (void)thread;
    return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size ? ok : error;
}
static int of_thread(void *space, uint64_t kind, uint64_t size, const void *id, void **context) {
    *context = &any;
    return space && id && kind == 0 && size == 8 ? ok : unavailable;
}

static void *library;
#define ASK(name, ...) ((int (*)())dlsym(library, "ompd_" #name))(__VA_ARGS__)

static int64_t icv(void *process, void *owner, uint64_t scope, const char *wanted) {
    uint64_t number = 0;
    int64_t value = -1;
    const char *name = "";
    int more = 1, of = 0;
    while (more && strcmp(name, wanted) &&
           !ASK(enumerate_icvs, process, number, &number, &name, &of, &more))
        continue;
    return ASK(get_icv_from_scope, owner, scope, number, &value) ? -1 : value;
}

int main(int argc, char **argv) {
    void *const callbacks[] = {take, give_back,   print, sizes, symbol,   read_memory,
                               0,    read_memory, 0,     0,     of_thread};
    void *process, *thread, *region;
    char folder[64];
    if (argc != 3 || !(library = dlopen(argv[1], RTLD_NOW)) ||
        !dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL))
        return 2;
    pid = atoi(argv[2]);
    snprintf(folder, sizeof folder, "/proc/%d/task", pid);
    DIR *tasks = opendir(folder);
    int lwps[64], count = 0;
    for (struct dirent *each; tasks && (each = readdir(tasks)) && count < 64;)
        if (each->d_name[0] != '.' && !ptrace(PTRACE_SEIZE, lwps[count] = atoi(each->d_name), 0, 0))
            ++count;
    if (ASK(initialize, (int64_t)201811, callbacks))
        return 3;
    for (int i = 0; i < count; ++i) {
        ptrace(PTRACE_INTERRUPT, lwps[i], 0, 0);
        waitpid(lwps[i], 0, __WALL);
    }
    if (ASK(process_initialize, &any, &process))
        return 4;
    for (int i = 0; i < count; ++i) {
        struct user_regs_struct registers;
        ptrace(PTRACE_GETREGS, lwps[i], 0, &registers);
        const uint64_t id = registers.fs_base; /* glibc's pthread_t on x86-64 */
        if (ASK(get_thread_handle, process, (uint64_t)0, sizeof id, &id, &thread) ||
            ASK(get_curr_parallel_handle, thread, &region))
            continue;
        printf("%d %ld %ld\n", lwps[i], icv(process, thread, thread_scope, "thread-num-var"),
               icv(process, region, region_scope, "team-size-var"));
    }
    return 0;
}
