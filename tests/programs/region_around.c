// SPDX-License-Identifier: Apache-2.0
// A region whose last thread begins one of another runtime, in inner_plugin.c.

#include <omp.h>

void inner_region(void (*reached)(void));

void stop_here(void) {}

int main(void) {
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 2)
      inner_region(stop_here);
  }
}
