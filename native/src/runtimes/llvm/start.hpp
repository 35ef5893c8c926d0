// SPDX-License-Identifier: Apache-2.0
// Whether LLVM's runtime can be asked at all: its symbols, whether it has started or shut
// down, its settings; and the switch of its events.
#pragma once

#include "elf/elf.hpp"
#include "runtimes/llvm/layout.hpp"

#include <string>
#include <vector>

namespace gdb_ompd::llvm {

// Those symbols that libompd or we read by name and that ELF lacks. Throws
// std::invalid_argument for a file that is damaged, or was replaced.
struct MissingSymbols {
    std::vector<std::string> names;
    bool is_stripped = false;  // of all that tell the layout
};
[[nodiscard]] MissingSymbols missing_symbols(const ElfImage &elf);

// UNSTARTED: it may be starting, or have shut down before it counted the processors.
enum class RuntimeState : std::uint8_t { before_start, unstarted, ended, running };
[[nodiscard]] RuntimeState runtime_state(AddressSpace &space);

// Whether the runtime has named its OMPD libraries, as it does when it starts; of any runtime.
[[nodiscard]] bool has_named_libraries(AddressSpace &space);
// What it names by ompd_dll_locations (OpenMP 5.0, section 5.2.2): nothing before it has
// started, and where memory cannot be read.
[[nodiscard]] std::vector<std::string> named_libraries(AddressSpace &space);

// Whether one of OpenMP's variables is in the program's environment; not where that cannot be read.
[[nodiscard]] bool was_started_with(AddressSpace &space, const std::string &variable);

// Whether the runtime tracks states and announces events.
[[nodiscard]] bool events_enabled(AddressSpace &space);
// Whether it keeps records for tools: once events were on, and where a tool has itself called.
[[nodiscard]] bool keeps_records(AddressSpace &space);
// Does in the program what OMP_DEBUG=enabled does at its start. The program prints nothing.
void enable_events(AddressSpace &space);
// Stops events.
void disable_events(AddressSpace &space);

// Throws Inconsistent where libompd must not be asked for ICVs or settings. It takes the
// lengths of lists and texts as they are: a wrong one makes it write beyond what it has
// allocated.
void check_settings(AddressSpace &space, const Layout &layout);

}  // namespace gdb_ompd::llvm
