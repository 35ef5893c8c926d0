// SPDX-License-Identifier: Apache-2.0
#include "stop/wait_names.hpp"

namespace gdb_ompd {

using code::WaitKind;

namespace {

PlaceRef location_of(const StackPlace &found, WaitNames &names) {
    if (found.place != nullptr) {
        return found.innermost != nullptr && found.innermost != found.place
                   ? names.with_innermost(found.place, found.innermost)
                   : found.place;
    }
    const ThreadWait &wait = found.wait;
    return wait.jumps.empty() && !wait.function ? nullptr : names.left(wait.jumps, wait.function);
}

std::optional<std::string> name_of(WaitKind kind, const StackPlace &found, WaitNames &names) {
    const ThreadWait &wait = found.wait;
    if (wait.object) {
        return wait.frameless ? names.object(kind, *wait.object, 0, 0)
                              : names.object(kind, *wait.object, found.gdb_num, found.pc);
    }
    // Only the unnamed critical has an entry point without an object.
    const auto *const entry = code::entry_point(wait.entry_point);
    const bool is_unnamed = kind == WaitKind::critical && (entry == nullptr || entry->object < 0);
    return is_unnamed ? std::optional<std::string>("") : std::nullopt;
}

}  // namespace

bool is_reduction(const std::optional<std::string> &name) {
    return name == ".reduction" || name == ".atomic_reduction";
}

WaitRef named_wait(const StackPlace &found, WaitNames &names) {
    const ThreadWait &read = found.wait;
    Wait wait;
    wait.entry_point = read.entry_point;
    wait.location = location_of(found, names);
    if (read.kind == WaitKind::none) {
        wait.outside = read.outside;
        wait.library = read.library;
        wait.in_library = read.in_library;
        return std::make_shared<const Wait>(std::move(wait));
    }
    wait.kind = read.is_certain || read.places.empty()
                    ? read.kind
                    : names.kind_by_lines(read.kind, read.places);
    wait.name = name_of(wait.kind, found, names);
    if (wait.kind == WaitKind::critical && is_reduction(wait.name)) {
        wait.kind = WaitKind::reduction;
        wait.name.reset();
    }
    (wait.kind == WaitKind::doacross ? wait.sink : wait.address) = read.object;
    wait.undeferred = read.undeferred;
    return std::make_shared<const Wait>(std::move(wait));
}

}  // namespace gdb_ompd
