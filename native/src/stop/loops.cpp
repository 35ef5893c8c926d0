// SPDX-License-Identifier: Apache-2.0
#include "stop/loops.hpp"

#include "code/kept_registers.hpp"
#include "stop/held_locks.hpp"

#include <algorithm>

namespace gdb_ompd {

namespace {

using code::LoopAround;
using code::LoopStep;
using Number = std::optional<std::int64_t>;

// Up to what began the construct that the thread is in: what is further out is another's.
std::span<const code::Frame> of_construct(const code::UserCalls &calls,
                                          std::span<const code::Frame> frames) {
    const auto owner = [&](const code::Frame &frame) { return calls.code().owner(frame.pc); };
    const auto user = std::ranges::find(frames, code::Owner::user, owner);
    const auto end = std::ranges::find(user, frames.end(), code::Owner::runtime, owner);
    return frames.first(static_cast<std::size_t>(end - frames.begin()));
}

// What a function was called with, as the code tells that has called it: the next of FRAMES, if
// that has called this one itself.
std::function<code::Former(code::Register)>
called_with(code::UserCalls &calls, std::span<const code::Frame> frames, const UserPlace &place) {
    const auto next = static_cast<std::size_t>(place.frame - frames.data()) + 1;
    const code::Frame *const caller = next < frames.size() ? &frames[next] : nullptr;
    const code::FunctionCode *const code =
        caller != nullptr ? calls.functions().function(caller->pc - 1) : nullptr;
    const auto call = code != nullptr ? code->call_before(caller->pc) : std::nullopt;
    if (!call) {
        return {};
    }
    const code::Value direct = calls.targets().only_target(caller->pc);
    if ((direct ? direct : calls.function_called(*caller)) != place.code->start()) {
        return {};
    }
    return [&calls, caller, code, call = *call](code::Register name) {
        return calls.in_frame(*code, call, *caller).held_by(call, name);
    };
}

// Numbers in the place that an argument of a call points to.
class Given {
public:
    Given(code::UserCalls &calls, std::span<const code::Frame> frames, const UserPlace &place)
        : calls_(calls), code_values_(calls.functions().values(*place.code)), here_(place.here),
          values_(calls.in_frame(*place.code, place.here, *place.frame,
                                 called_with(calls, frames, place))) {}

    // An argument of a call, as wide as what counts the loop.
    [[nodiscard]] Number value(std::size_t index, const code::LoopCall &call, int argument) {
        return as(call, passed(index, argument));
    }
    // What is where an argument of the call points to.
    [[nodiscard]] Number at(const LoopAround &loop, int argument) {
        const code::Value place = passed(loop.index, argument);
        return place ? as(loop.call, calls_.memory()(*place, loop.call.width).value) : std::nullopt;
    }
    // What was there when the call was made: the runtime has written over it since.
    [[nodiscard]] Number before(const LoopAround &loop, int argument) {
        const auto &registers = code_values_.convention().arguments;
        const auto number = static_cast<std::size_t>(argument);
        if (argument < 0 || number >= registers.size()) {
            return std::nullopt;
        }
        const auto state = code_values_.before(loop.index);
        const auto slot =
            std::ranges::find(state.slots, state.held[registers[number]], &code::Slot::address);
        return slot == state.slots.end() || slot->width != loop.call.width
                   ? std::nullopt
                   : as(loop.call, values_.ask(loop.index, slot->value).value);
    }

    // Which one a thread executes in a loop of GCC's code that begins with FIRST.
    [[nodiscard]] code::Value iteration(const LoopAround &loop, std::int64_t first,
                                        code::ReadRegister held) {
        const code::Value lower = passed(loop.index, loop.call.lower);
        const Number step = value(loop.begin_index, *loop.begin, loop.begin->increment);
        if (!lower || !step) {
            return std::nullopt;
        }
        code::LoopIteration counted(calls_.functions(), code_values_, here_, values_,
                                    std::move(held), calls_.memory());
        return counted.in_given(*lower, first, *step);
    }

private:
    [[nodiscard]] code::Value passed(std::size_t index, int argument) {
        return argument < 0 ? std::nullopt
                            : values_.argument(index, static_cast<std::size_t>(argument)).value;
    }
    [[nodiscard]] static Number as(const code::LoopCall &call, code::Value value) {
        if (!value) {
            return std::nullopt;
        }
        if (call.width == 8) {
            return static_cast<std::int64_t>(*value);
        }
        const auto narrow = static_cast<std::uint32_t>(*value);
        return call.is_unsigned ? std::int64_t{narrow} : static_cast<std::int32_t>(narrow);
    }

    code::UserCalls &calls_;
    code::FunctionValues &code_values_;
    std::size_t here_;
    code::Evaluation values_;
};

// The last number before END that is so many steps from FIRST.
Number last_before(std::int64_t first, std::int64_t end, std::int64_t step) {
    if (step == 0 || (step > 0 ? end <= first : end >= first)) {
        return std::nullopt;
    }
    return first + (end - first - (step > 0 ? 1 : -1)) / step * step;
}

void note_given(ThreadLoop &found, Given &given, const LoopAround &loop) {
    const Number lower = given.at(loop, loop.call.lower);
    const Number upper = given.at(loop, loop.call.upper);
    // Clang counts upwards: a thread without an iteration has bounds that are the other way round.
    if (found.asks || !lower || !upper || (!loop.call.is_gccs && *lower > *upper)) {
        return;
    }
    found.now_last = !loop.call.is_gccs ? upper
                     : found.step       ? last_before(*lower, *upper, *found.step)
                                        : std::nullopt;
    found.now_first = found.now_last ? lower : std::nullopt;
}

// The bounds of a loop of clang's code, which counts upwards.
void note_whole(ThreadLoop &found, Number first, Number last) {
    if (first && last && *first <= *last) {
        found.first = first;
        found.last = last;
        found.step = 1;
    }
}

// Where the runtime counts chunks, it gives them out in the order of the loop.
void note_chunks(ThreadLoop &found, const LoopRecord &record) {
    if (!found.chunk || !found.first || !found.last || !found.step) {
        return;
    }
    const std::int64_t size = *found.chunk * *found.step;
    const auto is_behind = [&](std::int64_t value) {
        return *found.step > 0 ? value > *found.last : value < *found.last;
    };
    if (record.chunks_given) {
        found.next = *found.first + *record.chunks_given * size;
        found.all_given = is_behind(*found.next);
    }
    if (record.chunks_kept && record.chunks_kept->first < record.chunks_kept->second) {
        const std::int64_t last = *found.first + record.chunks_kept->second * size - *found.step;
        found.kept_first = *found.first + record.chunks_kept->first * size;
        found.kept_last = is_behind(last) ? *found.last : last;
    }
}

void note_record(ThreadLoop &found, const LoopRecord &record) {
    found.schedule = record.schedule;
    found.chunk = record.chunk ? record.chunk : found.chunk;
    found.first = record.first ? record.first : found.first;
    found.step = record.step;
    found.last = record.last;
    found.next = record.next;
    if (record.end && record.next && record.step) {
        found.last =
            last_before(found.first ? *found.first : *record.next, *record.end, *record.step);
        found.all_given =
            *record.step > 0 ? *record.next >= *record.end : *record.next <= *record.end;
    }
    note_chunks(found, record);
    if (found.all_given) {
        found.next.reset();
    }
}

// What of COUNT iterations GCC's code gives to a thread.
void note_own_part(ThreadLoop &found, std::int64_t count, const code::PlaceInTeam &place) {
    if (count <= 0 || place.team_size <= 0) {
        return;
    }
    const auto [begin, end] = code::own_part(count, place);
    found.first = 0;
    found.last = count - 1;
    found.step = 1;
    if (begin < end) {
        found.now_first = begin;
        found.now_last = end - 1;
    }
}

// What the registers held where a frame is, or was when it called the next: also those that a
// callee need not keep, where none has changed them.
code::ReadRegister held_in(code::UserCalls &calls, std::span<const code::Frame> frames,
                           const code::Frame &frame) {
    std::vector<std::uint64_t> pcs;
    const code::Frame *innermost = frames.data();
    for (std::size_t number = 0; &frames[number] <= &frame; ++number) {
        if (number > 0 && code::is_interrupted(frames, number)) {
            pcs.clear();
            innermost = &frames[number];
        }
        if (&frames[number] == &frame || frames[number].is_called) {
            pcs.push_back(frames[number].pc);
        }
        if (&frames[number] == &frame) {
            break;
        }
    }
    const code::Architecture *const processor = calls.functions().architecture();
    const std::uint64_t preserved =
        pcs.size() == 1 ? ~std::uint64_t{0} : processor->convention().preserved_bits();
    return [&calls, &frame, innermost, preserved, pcs = std::move(pcs)](code::Register name) {
        if ((preserved & code::bit_of(name)) != 0) {
            return frame.held_by(name);
        }
        return code::is_kept(calls.functions(), pcs, name) ? innermost->held_by(name)
                                                           : std::nullopt;
    };
}

// A loop that GCC's code shares out by itself: numbers are iterations.
std::optional<ThreadLoop> divided(code::UserCalls &calls, code::LoopCalls &loops,
                                  const UserPlace &place, std::span<const code::Frame> frames,
                                  const std::optional<code::PlaceInTeam> &in_team) {
    for (const code::LoopDivision &division : loops.divided(*place.code, place.here)) {
        ThreadLoop found;
        found.pc = place.frame->pc;
        found.begun_at = place.code->at(division.called).address;
        found.schedule = LoopSchedule::fixed;
        found.is_inferred = true;
        code::Evaluation now = calls.in_frame(*place.code, place.here, *place.frame,
                                              called_with(calls, frames, place));
        code::LoopIteration counted(calls.functions(), calls.functions().values(*place.code),
                                    place.here, now, held_in(calls, frames, *place.frame),
                                    calls.memory());
        const code::Value size =
            division.may_be_in_chunks ? counted.chunk_of(division) : counted.count_of(division);
        if (!size && division.may_be_in_chunks) {
            continue;
        }
        if (size && in_team && in_team->team_size > 0) {
            const auto number = static_cast<std::int64_t>(*size);
            if (division.may_be_in_chunks) {
                found.chunk = number;  // the loop's last chunk may be shorter
                found.iteration = counted.in_chunks(division, *in_team, *size);
            } else {
                note_own_part(found, number, *in_team);
                found.iteration = counted.in_own(division, *in_team);
            }
        }
        return found;
    }
    return std::nullopt;
}

// Of collapsed loops and of Fortran's with a step GCC's code counts iterations: from 0, by 1.
std::optional<bool> is_of_variable(const ThreadLoop &loop, bool is_gccs) {
    if (!is_gccs || (loop.step && loop.step != 1)) {
        return is_gccs;
    }
    return loop.step && loop.first ? std::optional(loop.first != 0) : std::nullopt;
}

}  // namespace

std::optional<ThreadLoop> loop_of(code::UserCalls &calls, std::span<const code::Frame> frames,
                                  const std::optional<LoopRecord> &record,
                                  const std::optional<code::PlaceInTeam> &in_team) {
    code::LoopCalls loops(calls);
    for (const UserPlace &place : user_places(calls, of_construct(calls, frames))) {
        const auto loop = loops.around(*place.code, place.here);
        if (!loop) {
            if (auto own = divided(calls, loops, place, frames, in_team)) {
                return own;
            }
            continue;
        }
        ThreadLoop found;
        found.pc = place.frame->pc;
        found.begun_at = place.code->at(loop->begin ? loop->begin_index : loop->index).address;
        found.asks = place.here == loop->index;
        found.is_unsigned = loop->call.is_unsigned;
        Given given(calls, frames, place);
        if (loop->begin) {
            found.first = given.value(loop->begin_index, *loop->begin, loop->begin->first);
        }
        if (loop->call.step == LoopStep::shares_out_all) {
            found.schedule = LoopSchedule::fixed;
            const Number schedule = given.value(loop->index, loop->call, loop->call.schedule);
            if (!schedule) {
                return found;
            }
            if (code::is_static_in_chunks(*schedule)) {
                found.chunk = given.value(loop->index, loop->call, loop->call.chunk);
                found.stride = given.at(*loop, loop->call.stride);
            }
            note_whole(found, given.before(*loop, loop->call.lower),
                       given.before(*loop, loop->call.upper));
        } else if (record) {
            note_record(found, *record);
        }
        note_given(found, given, *loop);
        found.is_of_variable = is_of_variable(found, loop->call.is_gccs);
        if (loop->call.is_gccs && loop->begin && found.first) {
            found.iteration =
                given.iteration(*loop, *found.first, held_in(calls, frames, *place.frame));
        }
        return found;
    }
    return std::nullopt;
}

}  // namespace gdb_ompd
