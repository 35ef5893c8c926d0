// SPDX-License-Identifier: Apache-2.0
#include "runtimes.hpp"

PYBIND11_MODULE(_native, module) {
    module.doc() = "OMPD's callback table, libompd's functions and ELF symbols, in C++.\n\n"
                   "Nothing here knows GDB but ``native_threads``, ``pthread_id`` and "
                   "``stopped_thread``. Memory comes from a ``Target`` object written in Python. "
                   "Section numbers are those of OpenMP API 5.0 (November 2018).";
    gdb_ompd::init_errors(module);
    gdb_ompd::init_symbols(module);
    gdb_ompd::init_recovery(module);
    gdb_ompd::init_invariants(module);
    gdb_ompd::init_address_space(module);
    gdb_ompd::init_mapped_files(module);
    gdb_ompd::init_handles(module);
    gdb_ompd::init_library(module);
    gdb_ompd::init_trust(module);
    gdb_ompd::init_threads(module);
    gdb_ompd::init_reader(module);
    gdb_ompd::init_capabilities(module);
    gdb_ompd::init_llvm(module);
    gdb_ompd::init_unwinding(module);
    gdb_ompd::init_code(module);
    gdb_ompd::init_waits(module);
    gdb_ompd::init_function_names(module);
    gdb_ompd::init_events(module);
    gdb_ompd::init_gnu(module);
    gdb_ompd::init_runtime(module);
    gdb_ompd::init_team_size(module);
    gdb_ompd::init_stop(module);
    gdb_ompd::init_scheduling(module);
    gdb_ompd::init_constructs(module);
    gdb_ompd::init_event_stacks(module);
    gdb_ompd::init_listening(module);
}
