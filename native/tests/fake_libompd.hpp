// SPDX-License-Identifier: Apache-2.0
// What tests can ask of the fake OMPD library besides its 35 functions.
#pragma once

#include "base/ompd_types.h"

// A piece of "library code" that a test supplies: it is run inside
// ompd_get_omp_version, where a real library calls back. Its result is the
// function's.
using FakeProbe = ompd_rc_t (*)(const ompd_callbacks_t *callbacks,
                                ompd_address_space_context_t *space, void *data);
using FakeSetProbe = void (*)(FakeProbe probe, void *data);

// Environment variables that are read while the fake is loaded. They are how it describes itself,
// by default as LLVM's does; the version it says it speaks, negative for an error; and the only one
// it takes.
constexpr const char *fake_described_as = "FAKE_VERSION_STRING";
constexpr const char *fake_speaks = "FAKE_API_VERSION";
constexpr const char *fake_takes = "FAKE_TAKES_VERSION";

// The ids of the fake's ICVs. Those that ask the fake itself can be read in
// every scope.
enum FakeIcv : ompd_icv_id_t {
    fake_live_handles = 1,
    fake_bad_releases = 2,       // releases of what is not a live handle
    fake_incomplete = 3,         // the value 33, with ompd_rc_incomplete
    fake_print = 4,              // prints to std::cout and stdout
    fake_print_string = 5,       // calls print_string with category 7
    fake_throw = 6,              // throws std::bad_alloc
    fake_count = 7,              // counts its own calls
    fake_masked_read = 8,        // reads at 0x10000, says ok and 88 whatever comes of it
    fake_last_scope = 9,         // the scope it was asked with
    fake_interrupted_read = 10,  // reads at 0x10000 again after a failure, with how many tries
    fake_careless_read = 11,     // reads too much into its variables: ok if that was refused
    fake_misdeeds = 100          // and on: what misdeeds.hpp names
};

// Where the fake reads a thread's state, the ICV's number and the like.
constexpr ompd_addr_t fake_data_address = 0x10000;
