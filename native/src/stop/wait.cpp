// SPDX-License-Identifier: Apache-2.0
#include "stop/wait.hpp"

namespace gdb_ompd {

WaitRef wait_of_kind(code::WaitKind kind) {
    static auto *const known = new std::map<code::WaitKind, WaitRef>;
    WaitRef &found = (*known)[kind];
    if (found == nullptr) {
        Wait made;
        made.kind = kind;
        found = std::make_shared<const Wait>(std::move(made));
    }
    return found;
}

bool ThreadPlace::is_elsewhere() const {
    return in_runtime ||
           (wait->kind == code::WaitKind::none && wait->location == nullptr && !in_handler);
}

WaitRef wait_shown(const Shown &shown, const ThreadPlace &place) {
    const Shown before = place.shown();
    if (shown.kind != before.kind) {
        return wait_of_kind(shown.kind);
    }
    if (shown.entry_point == before.entry_point) {
        return place.wait;
    }
    Wait made = *place.wait;
    made.entry_point = shown.entry_point;
    return std::make_shared<const Wait>(std::move(made));
}

}  // namespace gdb_ompd
