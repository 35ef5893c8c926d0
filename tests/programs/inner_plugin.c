// SPDX-License-Identifier: Apache-2.0
// A library with a region, whose last thread calls back: for region_around.c.

#include <omp.h>

void inner_region(void (*reached)(void)) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1)
      reached();
  }
}
