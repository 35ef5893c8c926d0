/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of LLVM's libomptarget for devices that execute nothing: the work of a region is never done.
   Built as libomptarget.rtl.x86_64.so. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct image {
    void *start, *end, *first_entry, *last_entry;
};

struct table {
    void *first_entry, *last_entry;
};

int32_t __tgt_rtl_is_valid_binary(struct image *image) { return image != NULL; }

int32_t __tgt_rtl_number_of_devices(void) { return 2; }

int32_t __tgt_rtl_init_device(int32_t device) { return device < 0; }

struct table *__tgt_rtl_load_binary(int32_t device, struct image *image) {
    static struct table tables[2];
    tables[device].first_entry = image->first_entry;
    tables[device].last_entry = image->last_entry;
    return &tables[device];
}

void *__tgt_rtl_data_alloc(int32_t device, int64_t size, void *host, int32_t kind) {
    return device + kind < 0 || host == NULL ? NULL : malloc((size_t)size);
}

int32_t __tgt_rtl_data_submit(int32_t device, void *there, void *here, int64_t size) {
    memcpy(there, here, (size_t)size);
    return device < 0;
}

int32_t __tgt_rtl_data_retrieve(int32_t device, void *here, void *there, int64_t size) {
    memcpy(here, there, (size_t)size);
    return device < 0;
}

int32_t __tgt_rtl_data_delete(int32_t device, void *there) {
    free(there);
    return device < 0;
}

int32_t __tgt_rtl_run_target_region(int32_t device, void *entry, void **arguments,
                                    ptrdiff_t *offsets, int32_t count) {
    puts("ready");
    fflush(stdout);
    while (device >= 0) {
        pause();
    }
    return device < 0 || entry == NULL || (count > 0 && (arguments == NULL || offsets == NULL));
}

int32_t __tgt_rtl_run_target_team_region(int32_t device, void *entry, void **arguments,
                                         ptrdiff_t *offsets, int32_t count, int32_t teams,
                                         int32_t limit, uint64_t iterations) {
    (void)teams, (void)limit, (void)iterations;
    return __tgt_rtl_run_target_region(device, entry, arguments, offsets, count);
}
