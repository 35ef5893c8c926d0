// SPDX-License-Identifier: Apache-2.0
// Where GCC's libgomp begins and ends regions, tasks and threads, found in its code.
//
// It announces no events. But everything that the compiler outlines is called by one of a few
// instructions of the library's, whatever was inlined into what. A region or a task begins at its
// call and ends behind it. These places get the names of OMPD's event functions.
#pragma once

#include "code/code_index.hpp"

#include "elf/symbol_table.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd::recovery {

// A program has one of these, so that a library which exports it is GCC's runtime.
inline constexpr const char *gnu_entry = "GOMP_parallel";

// Told of the function that executes a target construct: where it is.
inline constexpr const char *gnu_target_begin = "target.begin";
inline constexpr const char *gnu_target_end = "target.end";

struct GnuEvents {
    std::vector<Symbol> symbols;  // several have one name
    // By the address of a place and a word, such as "140b4.register": the register that holds the
    // outlined function there. With "140b4.offset" besides, the register plus this offset is where
    // the function's address is kept. "35770.league" is a place where a league and not a region
    // begins or ends, "3580b.team" one of a team's.
    std::map<std::string, std::uint64_t> places;
    std::vector<std::string> reasons;  // why events are left out
};

// The key of what is told of a place in the file.
std::string gnu_place(std::uint64_t address, std::string_view what);

// Regions alone must be found; tasks and threads are left out where they are not.
GnuEvents gnu_events(const code::Image &image, const code::Architecture &architecture);

}  // namespace gdb_ompd::recovery
