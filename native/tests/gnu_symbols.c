/* SPDX-License-Identifier: Apache-2.0 */
/* Names of libgomp's functions: a test puts code in their place. */
char GOMP_barrier[256], omp_get_thread_num[64];
