// SPDX-License-Identifier: Apache-2.0
#include "stop/stacks.hpp"

#include <memory>
#include <utility>

namespace gdb_ompd {

Stacks::Stacks(WholeStacks &whole, StopNames &names)
    : whole_(whole), names_(names), calls_(whole, names), targets_(whole.reader(), names),
      places_(whole.reader(), names, whole.unwinder(), [this](int gdb_num, bool is_debuggers) {
          return whole_.read(gdb_num, is_debuggers);
      }) {}

ThreadPlaces Stacks::places(const std::vector<int> &gdb_nums) {
    const auto found = places_.find(gdb_nums, whole_.reads(gdb_nums));
    for (std::size_t at = known_.size(); at < places_.found().size(); ++at) {
        const StackPlace &place = places_.found()[at];
        known_.push_back(std::make_shared<const ThreadPlace>(
            ThreadPlace{named_wait(place, names_), place.wait.in_runtime, place.wait.before_body,
                        place.wait.in_handler, false}));
    }
    ThreadPlaces by_thread;
    for (std::size_t at = 0; at < gdb_nums.size(); ++at) {
        by_thread[gdb_nums[at]] = found[at] ? known_[*found[at]] : without_stack(gdb_nums[at]);
    }
    return by_thread;
}

std::vector<code::Frame> Stacks::fallbacks(int gdb_num) {
    return reader().has_targets()
               ? reader().fallbacks().among(whole_.unwound(gdb_num, whole_frames))
               : std::vector<code::Frame>();
}

ThreadPlaceRef Stacks::without_stack(int gdb_num) const {
    ThreadPlace place;
    place.is_unreadable = names_.is_unreadable(gdb_num);
    if (place.is_unreadable) {
        Wait wait;
        wait.entry_point = unnamed;
        place.wait = std::make_shared<const Wait>(std::move(wait));
    }
    return std::make_shared<const ThreadPlace>(std::move(place));
}

}  // namespace gdb_ompd
