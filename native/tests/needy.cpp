// SPDX-License-Identifier: Apache-2.0
// The library that fake_needy.so lists as needed, as some libompd list libomp.
extern "C" __attribute__((visibility("default"))) int gdb_ompd_companion() { return 1; }
