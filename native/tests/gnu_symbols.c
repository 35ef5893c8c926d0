/* SPDX-License-Identifier: Apache-2.0 */
/* Names of libgomp's functions: a test puts code in their place. */
char GOMP_barrier[256], omp_get_thread_num[64], GOMP_parallel[64];
/* Descriptors of glibc's: fields of 64 bits, one each, 8 and 16 bytes behind the begin. */
unsigned _thread_db_link_map_l_tls_modid[3] = {64, 1, 8};
unsigned _thread_db_link_map_l_tls_offset[3] = {64, 1, 16};
