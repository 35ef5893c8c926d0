// SPDX-License-Identifier: Apache-2.0
// What a thread waits for, and where it is, as a listing says it: what its stack and its runtime
// tell, with the debugger's names.
#pragma once

#include "stop/thread_state.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace gdb_ompd {

// A place in the source, as the debugger names it: it derives what it keeps of it from this.
struct NamedPlace {
    std::uint64_t pc = 0;
    std::string function;           // as the user wrote it, empty where that is not known
    bool is_in_file = true;         // its code is in a file that is mapped, or it has a name
    bool has_source = false;        // its file is known, and mostly its line
    bool in_system_header = false;  // the file came with the compiler or the system
    // It starts a stack, or is between the user's code and what that calls: nobody is there.
    bool is_passed_over = false;

    NamedPlace() = default;
    NamedPlace(const NamedPlace &) = default;
    NamedPlace &operator=(const NamedPlace &) = default;
    virtual ~NamedPlace() = default;
};

using PlaceRef = std::shared_ptr<const NamedPlace>;  // null for none

// As model/waits.py has it. Empty texts are none.
struct Wait {
    code::WaitKind kind = code::WaitKind::none;
    std::optional<std::uint64_t> address;  // the user's object
    std::optional<std::string> name;       // empty for the unnamed critical
    std::string entry_point;
    PlaceRef location;
    std::string outside;
    bool undeferred = false;
    std::optional<std::uint64_t> sink;
    std::string library;
    bool in_library = false;
};

using WaitRef = std::shared_ptr<const Wait>;  // threads that do the same share it

// A wait of which nothing else is known.
WaitRef wait_of_kind(code::WaitKind kind);

// What a thread's stack shows.
struct ThreadPlace {
    WaitRef wait = std::make_shared<const Wait>();
    bool in_runtime = false;     // frames of the runtime and none of the user's: it is in no task
    bool before_body = false;    // such a worker calls the body of its region next
    bool in_handler = false;     // a signal has interrupted it: it is on no way to a region
    bool is_unreadable = false;  // the debugger cannot tell its frames

    // Whether it is in no code of the user's: a worker in no task, or one that has not come to the
    // runtime yet.
    [[nodiscard]] bool is_elsewhere() const;
    [[nodiscard]] Shown shown() const { return shown_in(*wait, in_runtime); }

    static Shown shown_in(const Wait &wait, bool in_runtime) {
        return {wait.kind, wait.entry_point, wait.outside, in_runtime};
    }
};

using ThreadPlaceRef = std::shared_ptr<const ThreadPlace>;
using ThreadPlaces = std::map<int, ThreadPlaceRef>;  // by GDB numbers

// What a thread at a PLACE waits for, of which the runtime's records tell that it is so SHOWN.
WaitRef wait_shown(const Shown &shown, const ThreadPlace &place);

}  // namespace gdb_ompd
