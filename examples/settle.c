/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* gettid */
#include "settle.h"

#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int done;

void done_working(void)
{
    atomic_fetch_add(&done, 1);
}

/* The state letter follows the name, which is in brackets and may hold any. */
static bool asleep(const char *lwp)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", lwp);
    FILE *stat = fopen(path, "r");
    if (stat == NULL)
        return false;
    const bool read = fgets(line, sizeof line, stat) != NULL;
    fclose(stat);
    const char *bracket = read ? strrchr(line, ')') : NULL;
    return bracket != NULL && bracket[1] == ' ' && bracket[2] == 'S';
}

static int awake(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) {
        perror("/proc/self/task");
        exit(1);
    }
    for (struct dirent *entry = readdir(tasks); entry != NULL; entry = readdir(tasks))
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != gettid() && !asleep(entry->d_name))
            count++;
    closedir(tasks);
    return count;
}

void settle(int others)
{
    while (atomic_load(&done) < others || awake() > 0)
        sched_yield();
    atomic_store(&done, 0);
}
