/* SPDX-License-Identifier: Apache-2.0 */
/* Maps and unmaps, and knows at each visit() what is mapped where: by the device's addresses that
   use_device_ptr gives, and omp_target_is_present(). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, SIZE = 100 };

struct truth {
    const char *name;
    int number; /* of the device */
    void *host;
    void *device;
    unsigned long bytes;
    int references;
};

struct truth truths[MOST];
int known;

int table[SIZE];

static void *device_of(char *host, int number) {
    void *found = NULL;
#pragma omp target data use_device_ptr(host) device(number)
    found = host;
    return found;
}

static void add(const char *name, int number, void *host, unsigned long bytes) {
    if (!omp_target_is_present(host, number)) {
        abort();
    }
    struct truth made = {name, number, host, device_of(host, number), bytes, 1};
    truths[known++] = made;
}

__attribute__((noinline)) void visit(void) {
    printf("%d\n", known);
    fflush(stdout);
}

int main(void) {
    double *values = malloc(SIZE * sizeof *values);
    struct {
        int number;
        char text[36];
    } pair = {1, "one"};
    for (int i = 0; i < SIZE; i++) {
        values[i] = i;
    }
    visit();
#pragma omp target enter data map(to : values[0 : SIZE])
    add("values", 0, values, SIZE * sizeof *values);
    visit();
#pragma omp target enter data map(alloc : table[10 : 20]) device(1)
    add("table", 1, &table[10], 20 * sizeof table[0]);
    visit();
#pragma omp target data map(tofrom : pair) map(to : values[0 : SIZE])
    {
        truths[0].references = 2;
        add("pair", 0, &pair, sizeof pair);
        visit();
#pragma omp target data map(to : pair)
        {
            truths[2].references = 2;
            visit();
        }
        truths[2].references = 1;
    }
    truths[0].references = 1;
    known = 2;
    visit();
    char *rows[MOST / 2];
    for (int i = 0; i < MOST / 2; i++) { /* in no order */
        rows[i] = malloc(64 + i * 37 % 11 * 16);
    }
    for (int i = 0; i < MOST / 2; i++) {
        char *row = rows[i * 7 % (MOST / 2)];
#pragma omp target enter data map(to : row[0 : i + 1])
        add("rows", 0, row, i + 1);
    }
    visit();
#pragma omp target exit data map(release : values[0 : SIZE])
    truths[0] = truths[--known];
    visit();
#pragma omp target exit data map(delete : table[10 : 20]) device(1)
    truths[1] = truths[--known];
    visit();
    return 0;
}
