// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/loop_records.hpp"

#include <string>

namespace gdb_ompd::llvm {

namespace {

// sched_type of kmp.h, as the runtime has it when it has begun the loop.
enum : std::uint64_t {
    static_chunked = 33,
    static_all = 34,
    dynamic_chunked = 35,
    static_greedy = 40,
    static_balanced = 41,
    guided_iterative = 42,
    guided_analytical = 43,
    static_steal = 44,
};
constexpr std::uint64_t wide_type = 8;  // bytes of what counts the loop

LoopSchedule meaning(std::uint64_t schedule) {
    switch (schedule) {
    case static_chunked:
    case static_all:
    case static_greedy:
    case static_balanced:
        return LoopSchedule::fixed;
    case dynamic_chunked:
        return LoopSchedule::dynamic;
    case guided_iterative:
    case guided_analytical:
        return LoopSchedule::guided;
    case static_steal:
        return LoopSchedule::stolen;
    default:
        return LoopSchedule::unknown;
    }
}

}  // namespace

LoopRecords::LoopRecords(const PrivateFields &fields)
    : dispatch_(fields.at("kmp_base_info_t.th_dispatch")),
      own_(fields.at("kmp_disp_t.th_dispatch_pr_current")),
      shared_(fields.at("kmp_disp_t.th_dispatch_sh_current")),
      own_bounds_(fields.at("dispatch_private_info_t.u")),
      shared_bounds_(fields.at("dispatch_shared_info_t.u")),
      schedule_(fields.at("dispatch_private_info_t.schedule")),
      type_size_(fields.at("dispatch_private_info_t.type_size")), narrow_(bounds(fields, "32")),
      wide_(bounds(fields, "64")) {}

LoopRecords::Bounds LoopRecords::bounds(const PrivateFields &fields, const std::string &width) {
    const std::string own = "dispatch_private_info" + width + "_t.";
    return {fields.at(own + "count"),
            fields.at(own + "ub"),
            fields.at(own + "lb"),
            fields.at(own + "st"),
            fields.at(own + "tc"),
            fields.at(own + "parm1"),
            fields.at("dispatch_shared_info" + width + "_t.iteration")};
}

std::optional<LoopRecord> LoopRecords::read(const Memory &memory, TargetAddr thread) const {
    const TargetAddr dispatch = memory.pointer(thread, dispatch_);
    const TargetAddr own = memory.pointer(dispatch, own_);
    const TargetAddr shared = memory.pointer(dispatch, shared_);
    if (own.value == 0 || shared.value == 0) {
        return std::nullopt;
    }
    const Bounds &places = memory.field(own, type_size_) == wide_type ? wide_ : narrow_;
    const TargetAddr bounds = own + own_bounds_.offset;
    const std::uint64_t schedule = memory.field(own, schedule_);
    LoopRecord found;
    found.schedule = meaning(schedule);
    found.first = memory.signed_field(bounds, places.lower);
    found.step = memory.signed_field(bounds, places.step);
    const std::int64_t trips = memory.signed_field(bounds, places.trips);
    found.last = *found.first + (trips - 1) * *found.step;
    if (found.schedule != LoopSchedule::unknown && found.schedule != LoopSchedule::fixed) {
        found.chunk = memory.signed_field(bounds, places.chunk);
    }
    if (schedule == static_steal) {
        found.chunks_kept = {memory.signed_field(bounds, places.count),
                             memory.signed_field(bounds, places.upper)};
        return found;
    }
    const std::int64_t given = memory.signed_field(shared + shared_bounds_.offset, places.given);
    if (schedule == dynamic_chunked) {
        found.chunks_given = given;
    } else if (schedule == guided_iterative) {
        found.next = *found.first + given * *found.step;
    }
    return found;
}

}  // namespace gdb_ompd::llvm
