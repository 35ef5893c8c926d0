/* SPDX-License-Identifier: Apache-2.0 */
/* A function that the loader calls with its lock held is at a barrier; another thread loads. */
#include "hangs.h"

#include <dlfcn.h>
#include <link.h>

static int each(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)info, (void)size, (void)unused;
    meet(2);
#pragma omp barrier /* expect: deadlock */
    return 1;
}

static void load(void) {
    meet(2);
    void *library = dlopen("libutil.so.1", RTLD_NOW); /* expect: deadlock */
    if (library == NULL)                              /* says: lock of dlopen() */
        abort();
#pragma omp barrier
}

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            dl_iterate_phdr(each, NULL);
        else
            load();
    }
    return 0;
}
