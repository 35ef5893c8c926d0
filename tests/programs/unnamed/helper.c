/* SPDX-License-Identifier: Apache-2.0 */
/* A region in a function that other files do not see, which two do call: one ends with the call. */
static double sums[1000];

static __attribute__((noinline)) void helper(int n)
{
    #pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        sums[i] += i;
}

void solve(int n)
{
    helper(n + 1);
}

void prepare(int n)
{
    helper(n);
    sums[0] = 0;
}
