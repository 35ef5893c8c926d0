/* SPDX-License-Identifier: Apache-2.0 */
/* What a debugger stops in the middle of: libraries that come and go, children, threads, another
   program, a step over a breakpoint; and a thread that waits for the signal of Ctrl-C. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int go_on = 1; /* the debugger clears it */
static int wrong;

static void check(int is_right, const char *what) {
    if (is_right)
        return;
    printf("wrong: %s\n", what);
#pragma omp atomic
    wrong++;
}

static void libraries(void) {
    void *library = dlopen("libBrokenLocale.so.1", RTLD_NOW);
    check(library != NULL && dlclose(library) == 0, "library");
}

static void children(void) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        _exit(7);
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7,
          "child");
    const pid_t other = vfork();
    if (other == 0) {
        execl("/bin/true", "true", NULL);
        _exit(1);
    }
    check(waitpid(other, &status, 0) == other && WIFEXITED(status) && WEXITSTATUS(status) == 0,
          "other program");
}

static void *same(void *given) { return given; }

static void threads(void) {
    pthread_t thread;
    void *given = NULL;
    check(pthread_create(&thread, NULL, same, &wrong) == 0 && pthread_join(thread, &given) == 0 &&
              given == &wrong,
          "thread");
}

__attribute__((noinline)) int stepped_over(int n) { return n + 1; }

static void steps(void) {
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += stepped_over(i);
    check(sum == 5050, "sum");
}

static void *waits_for_ctrl_c(void *signals) {
    int number;
    check(sigwait(signals, &number) != 0, "signal");
    return NULL;
}

/* No children: GDB 13 alone breaks those that are forked while it steps over a breakpoint. */
static void all_at_once(void) {
#pragma omp parallel num_threads(3)
    {
        void (*const kinds[])(void) = {libraries, threads, steps};
        while (go_on)
            kinds[omp_get_thread_num()]();
    }
}

/* Executes itself again, while another thread runs. */
static void programs(char **argv) {
    char left[20];
    const int more = atoi(argv[2]) - 1;
    pthread_t thread;
    if (more < 0)
        return;
    snprintf(left, sizeof left, "%d", more);
    if (pthread_create(&thread, NULL, same, NULL) == 0)
        execl("/proc/self/exe", argv[0], argv[1], left, NULL);
    check(0, "exec");
}

int main(int argc, char **argv) {
    static sigset_t signals;
    pthread_t waiter;
    void (*const kinds[])(void) = {libraries, children, threads, steps};
    const char *const names[] = {"libraries", "children", "threads", "steps"};
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    if (argc == 3)
        programs(argv);
    else if (pthread_create(&waiter, NULL, waits_for_ctrl_c, &signals) != 0)
        return 2;
    for (int i = 0; argc == 2 && i < 4; i++)
        while (strcmp(argv[1], names[i]) == 0 && go_on)
            kinds[i]();
    if (argc == 2 && strcmp(argv[1], "all") == 0)
        all_at_once();
    usleep(50000); /* GDB 13 resumes one thread after the other: of one that is gone it fails */
    printf(wrong == 0 ? "all is right\n" : "%d were wrong\n", wrong);
    return wrong != 0;
}
