/* SPDX-License-Identifier: Apache-2.0 */
/* A task that GCC, optimising, describes no block for where it begins. */
static volatile int sink;

int main(void) {
#pragma omp parallel num_threads(1)
    {
#pragma omp task untied
        {
            sink = 1; /* first */
#pragma omp taskyield
            sink = 2;
        }
    }
    return sink - 2;
}
