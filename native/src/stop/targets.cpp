// SPDX-License-Identifier: Apache-2.0
#include "stop/targets.hpp"

#include "code/construct_call.hpp"
#include "runtimes/offloading.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::Called;
using code::EntryPoint;
using code::Frame;
using code::WaitKind;

namespace {

constexpr std::int64_t only_a_task = 1;  // in the flags of a call of GCC's
// In the record of a task of GCC's that executes a target region, behind its device.
constexpr std::uint64_t function_in_record = pointer_size;

std::uint64_t within(const Frame &frame, bool innermost) { return frame.pc - (innermost ? 0 : 1); }

}  // namespace

ThreadTargets TargetReader::of(Frames frames) {
    const code::CodeMap &code = waits_.calls().code();
    std::vector<TargetConstruct> found;
    Inner inner;
    const auto end_inner = [&](std::size_t at) {
        if (inner.region || inner.falls_back) {
            TargetConstruct one;
            one.function = inner.function;
            one.region = inner.region;
            one.executes = true;
            one.on_host = one.is_anew = inner.falls_back;
            one.plugin = plugin_in(frames.subspan(inner.begin, at - inner.begin));
            one.regions = inner.regions;
            one.has_league = inner.has_league;
            found.push_back(std::move(one));
        }
        inner = {false, at, std::nullopt, false, 0, inner.regions, inner.has_league};
    };
    for (std::size_t at = 0; at < frames.size(); ++at) {
        if (!code.is_user(frames[at].pc)) {
            continue;
        }
        const bool calls = at > 0 && !code.is_user(frames[at - 1].pc);
        const auto called = calls ? waits_.calls().of_call(frames[at].pc) : std::optional<Called>();
        // What a call has executed while it waits is another task: its own body is not known.
        const bool is_of_task = inner.falls_back && inner.function == 0 && at > inner.begin + 2;
        const bool is_targets =
            called && called->entry != nullptr && is_target(called->entry->kind);
        if (calls) {
            add_left(frames, at, inner);
        }
        if (is_targets && !is_of_task) {
            if (auto one = this->called(frames, at, *called, inner)) {
                found.push_back(std::move(*one));
            }
            inner = {false, at, std::nullopt, false, 0, inner.regions, inner.has_league};
        } else if (calls || is_of_task) {
            end_inner(at);
        }
        if (called && called->entry != nullptr && called->entry->begins_region) {
            ++inner.regions;
        }
        inner.has_league |=
            called && called->entry != nullptr && called->entry->role == code::Role::begins_league;
        const auto region = region_at(frames[at], at == 0);
        const auto inlined = region ? std::nullopt : inlined_at(frames[at], at == 0);
        if (inlined || (!region && inner.region && !calls)) {  // the user's code calls it or has it
            inner.region = inlined ? inlined : inner.region;
            end_inner(at);
            found.back().pc = frames[at].pc;
            found.back().on_host = true;
        }
        inner.region = region ? region : inner.region;
        inner.is_called = true;
        inner.begin = at + 1;
        const bool is_called = at + 1 < frames.size() && !code.is_user(frames[at + 1].pc);
        inner.falls_back = is_called && waits_.fallbacks().calls_region(frames[at + 1].pc);
        inner.function =
            inner.falls_back ? waits_.bodies().function_of(frames[at], frames[at + 1]) : 0;
        if (inner.falls_back && inner.function == 0) {
            inner.function = function_left(frames.subspan(at + 1));
        }
    }
    add_left(frames, frames.size(), inner);
    end_inner(frames.size());
    return {std::move(found), inner.regions};
}

// The function of a region may have no frame before END: it has ended with a jump to what begins a
// parallel one or a league, or has returned to GCC's runtime, which ends its threads.
void TargetReader::add_left(Frames frames, std::size_t end, Inner &inner) {
    code::UserCalls &calls = waits_.calls();
    for (std::size_t at = inner.begin; at < end; ++at) {
        const bool is_jump = at > 0 && !calls.is_direct(frames[at].pc);
        const bool begins = is_jump && calls.is_in_region_call(frames[at - 1].pc);
        const EntryPoint *const own = is_jump ? calls.around(frames[at - 1].pc) : nullptr;
        const bool begins_league = own != nullptr && own->role == code::Role::begins_league;
        if (!inner.falls_back && waits_.fallbacks().has_region(frames[at].pc)) {
            inner.falls_back = true;
            inner.function = function_left(frames.subspan(at));
        }
        inner.is_called |= begins || begins_league;
        inner.has_league |= begins_league;
        inner.regions += begins ? 1 : 0;
    }
}

// What the first of FRAMES, GCC's, has called. Where the register that it did that through is lost,
// it may be for a task: the function that executes it was given its record, which has it.
std::uint64_t TargetReader::function_left(Frames frames) {
    code::UserCalls &calls = waits_.calls();
    if (const code::Value called = calls.function_called(frames.front())) {
        return *called;
    }
    const code::Value record = frames.size() < 2 || calls.is_direct(frames.front().pc)
                                   ? std::nullopt
                                   : code::CallArguments(calls).kept_argument(0, frames[1]);
    const auto kept = record ? calls.functions().space().uint_at(
                                   TargetAddr{*record + function_in_record}, pointer_size)
                             : std::nullopt;
    const bool is_function =
        kept && calls.code().is_user(*kept) && calls.functions().start_of(*kept) == *kept;
    return is_function ? *kept : 0;
}

// By a call for a device: it is in the region's function if the runtime has called the user's code.
// Without a device nobody waits for one.
std::optional<TargetConstruct> TargetReader::called(Frames frames, std::size_t at,
                                                    const Called &called, const Inner &inner) {
    const EntryPoint &entry = *called.entry;
    const bool is_in_region = entry.is_of_gcc() ? inner.falls_back : inner.is_called;
    const bool executes = entry.kind == WaitKind::target && is_in_region;
    const auto flags = executes ? std::nullopt : argument(entry.deferred, called, frames, at);
    const bool is_only_made = flags && (*flags & only_a_task) != 0;
    if (!executes && (inner.is_called || is_only_made || !waits_.has_plugins())) {
        return std::nullopt;
    }
    TargetConstruct one;
    one.kind = entry.kind;
    one.pc = frames[at].pc;
    one.function = inner.function != 0 ? inner.function
                                       : waits_.bodies().given(frames.subspan(at)).value_or(0);
    one.executes = executes;
    one.on_host = one.is_anew = executes && entry.is_of_gcc();
    one.device = argument(entry.device, called, frames, at);
    one.plugin = plugin_in(frames.subspan(inner.begin, at - inner.begin));
    one.region = inner.region ? inner.region : region_named(called, frames, at);
    one.regions = inner.regions;
    one.has_league = inner.has_league;
    return one;
}

// Where its function has no frame: by the address that the call was given.
std::optional<code::TargetRegion> TargetReader::region_named(const Called &called, Frames frames,
                                                             std::size_t at) {
    const auto given = argument(called.entry->region_id, called, frames, at);
    return code::region_with_id(waits_.calls(), static_cast<std::uint64_t>(given.value_or(0)));
}

// What the runtime keeps of it is the thread's own; what the user's code made it of may have
// changed. GCC's are of 32 bits.
std::optional<std::int64_t> TargetReader::argument(int number, const Called &called, Frames frames,
                                                   std::size_t at) {
    if (number < 0) {
        return std::nullopt;
    }
    code::CallArguments arguments(waits_.calls());
    const auto place = static_cast<std::size_t>(number);
    const EntryPoint *const own = waits_.calls().around(frames[at - 1].pc);
    code::Value value;
    if (own == called.entry) {
        value = arguments.kept_argument(place, frames[at - 1]);
    }
    if (!value) {
        value = arguments.argument(place, called, frames.subspan(at));
    }
    if (!value) {
        return std::nullopt;
    }
    return called.entry->is_of_gcc() ? static_cast<std::int32_t>(*value)
                                     : static_cast<std::int64_t>(*value);
}

std::optional<code::TargetRegion> TargetReader::region_at(const Frame &frame,
                                                          bool innermost) const {
    const auto function = waits_.calls().functions().symbol_at(within(frame, innermost));
    return function ? code::target_region(function->symbol.name) : std::nullopt;
}

// Of clang's code for the host alone, by the functions that are inlined there.
std::optional<code::TargetRegion> TargetReader::inlined_at(const Frame &frame, bool innermost) {
    const std::uint64_t pc = within(frame, innermost);
    const auto names = names_.functions_at(pc, waits_.calls().functions().start_of(pc));
    for (const std::string &name : names.value_or(std::vector<std::string>())) {
        if (auto region = code::target_region(name)) {
            return region;
        }
    }
    return std::nullopt;
}

std::string TargetReader::plugin_in(Frames frames) const {
    for (const Frame &frame : frames) {
        const Module *const module = waits_.calls().functions().module_at(frame.pc);
        if (module != nullptr && is_plugin(*module->elf)) {
            return module->name;
        }
    }
    return {};
}

}  // namespace gdb_ompd
