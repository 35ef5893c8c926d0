/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of GCC's libgomp for devices whose memory is the host's, and that execute nothing: the
   host executes the regions. Built as libgomp-plugin-nvptx.so.1. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, SHARES_NO_MEMORY_AND_CAN_OPENMP = 1 << 2, OF_NVIDIA = 5 };

unsigned GOMP_OFFLOAD_version(void) { return VERSION; }

const char *GOMP_OFFLOAD_get_name(void) { return "nvptx"; }

unsigned GOMP_OFFLOAD_get_caps(void) { return SHARES_NO_MEMORY_AND_CAN_OPENMP; }

int GOMP_OFFLOAD_get_type(void) { return OF_NVIDIA; }

int GOMP_OFFLOAD_get_num_devices(void) { return 2; }

bool GOMP_OFFLOAD_init_device(int device) { return device >= 0; }

bool GOMP_OFFLOAD_fini_device(int device) { return device >= 0; }

int GOMP_OFFLOAD_load_image(int device, unsigned version, const void *data, void **table) {
    (void)device, (void)version, (void)data, (void)table;
    return -1;
}

bool GOMP_OFFLOAD_unload_image(int device, unsigned version, const void *data) {
    (void)version, (void)data;
    return device >= 0;
}

void *GOMP_OFFLOAD_alloc(int device, size_t size) { return device < 0 ? NULL : malloc(size); }

bool GOMP_OFFLOAD_free(int device, void *pointer) {
    free(pointer);
    return device >= 0;
}

bool GOMP_OFFLOAD_dev2host(int device, void *to, const void *from, size_t size) {
    memcpy(to, from, size);
    return device >= 0;
}

bool GOMP_OFFLOAD_host2dev(int device, void *to, const void *from, size_t size) {
    memcpy(to, from, size);
    return device >= 0;
}

bool GOMP_OFFLOAD_dev2dev(int device, void *to, const void *from, size_t size) {
    memcpy(to, from, size);
    return device >= 0;
}

void GOMP_OFFLOAD_run(int device, void *function, void *variables, void **arguments) {
    (void)device, (void)function, (void)variables, (void)arguments;
    abort(); /* it has loaded no image that has functions */
}
