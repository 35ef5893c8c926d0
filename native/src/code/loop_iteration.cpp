// SPDX-License-Identifier: Apache-2.0
#include "code/loop_iteration.hpp"

#include "code/kept_registers.hpp"
#include "code/known.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gdb_ompd::code {

namespace {

constexpr int most_narrowed = 20;  // of a value's nodes
constexpr int deepest_narrowed = 3;

// How often STEP was added to FROM, both of WIDTH bytes, which gave TO; none for no whole number.
Value times(std::uint64_t from, std::uint64_t to, std::uint64_t step, unsigned width) {
    const auto signed_step = static_cast<std::int64_t>(extended(cut(step, width), width));
    const bool falls = signed_step < 0;
    const std::uint64_t size =
        falls ? -static_cast<std::uint64_t>(signed_step) : static_cast<std::uint64_t>(signed_step);
    const std::uint64_t way = cut(falls ? from - to : to - from, width);
    return size == 0 || way % size != 0 ? std::nullopt : Value(way / size);
}

// What all are; none where they differ.
Value same(const std::vector<Value> &all) {
    const bool agree = !all.empty() && std::ranges::all_of(all, [&](const Value &one) {
        return one && one == all.front();
    });
    return agree ? all.front() : std::nullopt;
}

}  // namespace

OwnPart own_part(std::int64_t count, const PlaceInTeam &place) {
    const std::int64_t each = count / place.team_size;
    const std::int64_t more = count % place.team_size;
    const std::int64_t begin = place.thread_num * each + std::min(place.thread_num, more);
    return {begin, begin + each + (place.thread_num < more ? 1 : 0)};
}

LoopIteration::LoopIteration(FunctionReader &functions, FunctionValues &values, std::size_t here,
                             Evaluation &now, ReadRegister held, ReadMemory memory)
    : functions_(functions), values_(values), here_(here), now_(now), held_(std::move(held)),
      memory_(std::move(memory)), state_(values.before(here)) {}

// What came to a JOINT by each way; nothing where not all ways are known.
std::vector<Term> LoopIteration::ways_to(const Node &joint) {
    const auto &block = values_.flow().blocks()[values_.flow().block_of(joint.at)];
    std::vector<Term> found;
    for (const std::size_t way : block.before) {
        found.push_back(values_.behind(way).held[joint.register_number]);
    }
    return block.is_entered_from_anywhere() || joint.at == 0 ? std::vector<Term>() : found;
}

// What a JOINT always is: of an inner loop that does not change it, what it was before that.
std::optional<Term> LoopIteration::only_way_to(NodeNumber joint, int depth) {
    std::vector<Term> found;
    for (const Term way : ways_to(values_.node(joint))) {
        const Narrowed one = narrowed(way, depth + 1);
        if (one.width < pointer_size) {
            return std::nullopt;
        }
        if (one.term != Term{joint, 0}) {
            found.push_back(one.term);
        }
    }
    const bool agree = !found.empty() &&
                       std::ranges::all_of(found, [&](Term one) { return one == found.front(); });
    return agree ? std::optional(found.front()) : std::nullopt;
}

// Without what only cuts or extends it, and before calls and loops that have left it as it was.
LoopIteration::Narrowed LoopIteration::narrowed(Term term, int depth) {
    Narrowed found{term};
    for (int steps = 0; steps < most_narrowed && !found.term.is_number(); ++steps) {
        const Node node = values_.node(found.term.base);
        const Instruction &one = values_.code().at(node.at);
        Term inner = node.first;
        if (node.kind == Node::Kind::part) {
            found.width = std::min(found.width, unsigned{node.width});
        } else if (node.kind == Node::Kind::unknown && one.is_call() &&
                   is_kept_by(functions_, one, node.register_number)) {
            inner = values_.before(node.at).held[node.register_number];
        } else if (node.kind == Node::Kind::joint && depth < deepest_narrowed) {
            const auto only = only_way_to(found.term.base, depth);
            if (!only) {
                break;
            }
            inner = *only;
        } else {
            break;
        }
        found.term = {inner.base, inner.offset + found.term.offset};
    }
    return found;
}

// One that each way back to the loop's beginning has changed by the same number.
std::optional<LoopIteration::Counter> LoopIteration::in_register(Register name) {
    const Narrowed here = narrowed(state_.held[name]);
    const Node node = values_.node(here.term.base);
    const Value held = held_(name);
    if (!held || here.term.is_number() || node.kind != Node::Kind::joint) {
        return std::nullopt;
    }
    Counter counter{{}, 0, *held - here.term.offset, here.width};
    for (const Term way : ways_to(node)) {
        const Narrowed one = narrowed(way);
        counter.width = std::min(counter.width, one.width);
        if (one.term.base != here.term.base) {
            counter.set_to.push_back(one.term);
        } else if (counter.step != 0 && counter.step != one.term.offset) {
            return std::nullopt;
        } else {
            counter.step = one.term.offset;
        }
    }
    return counter.step == 0 || counter.set_to.empty() ? std::nullopt : std::optional(counter);
}

// Places on the stack that are changed by one instruction besides those that set them.
void LoopIteration::add_in_memory(std::vector<Counter> &found) {
    struct Changes {
        std::vector<Term> set_to;
        unsigned others = 0, width = pointer_size;
    };
    std::map<Term, Changes> places;
    const FunctionCode &code = values_.code();
    for (std::size_t index = 0; index < code.instructions().size(); ++index) {
        const Instruction &one = code.at(index);
        const auto place = one.changes_memory() && values_.is_reached(index)
                               ? values_.address(values_.before(index), index)
                               : std::nullopt;
        if (!place || place->is_number()) {
            continue;
        }
        Changes &changes = places[*place];
        changes.width = std::min<unsigned>(changes.width, one.width);
        const bool is_set = one.operation == Operation::store && one.source < flags;
        const Term stored = is_set ? narrowed(values_.before(index).held[one.source]).term : Term();
        if (is_set && !is_loaded_from({stored.base, 0}, *place)) {
            changes.set_to.push_back(stored);
        } else {
            ++changes.others;
        }
    }
    for (const auto &[place, changes] : places) {
        const Value address =
            changes.others == 1 && !changes.set_to.empty() ? now_.ask(here_, place).value : Value();
        const Value now = address ? memory_(*address, changes.width).value : std::nullopt;
        if (now) {
            found.push_back({changes.set_to, 0, *now, changes.width});
        }
    }
}

bool LoopIteration::is_loaded_from(Term term, Term place) const {
    const Node node = values_.node(term.base);
    return !term.is_number() && term.offset == 0 && node.kind == Node::Kind::load &&
           node.first == place;
}

std::vector<LoopIteration::Counter> LoopIteration::counters() {
    std::vector<Counter> found;
    for (Register name = 0; name < flags; ++name) {
        if (auto counter = in_register(name)) {
            found.push_back(std::move(*counter));
        }
    }
    add_in_memory(found);
    return found;
}

Value LoopIteration::in_given(std::uint64_t lower, std::int64_t first, std::int64_t step) {
    std::vector<Value> found;
    for (const Counter &each : counters()) {
        unsigned width = each.width;
        const bool is_given = std::ranges::all_of(each.set_to, [&](Term term) {
            const Node node = values_.node(term.base);
            width = std::min(width, unsigned{node.width});
            return !term.is_number() && term.offset == 0 && node.kind == Node::Kind::load &&
                   now_.ask(here_, node.first).value == lower;
        });
        const auto own = static_cast<std::uint64_t>(step);
        if (is_given && (each.step == 0 || cut(each.step - own, width) == 0)) {
            found.push_back(times(static_cast<std::uint64_t>(first), each.now, own, width));
        }
    }
    return same(found);
}

Value LoopIteration::in_thread(Term term, const LoopDivision &division, const PlaceInTeam &place) {
    const Register data = values_.convention().arguments.front();
    const Register result = values_.convention().returned;
    // What the code around hands over is there all along; other memory may be another by now.
    const auto given = [&](NodeNumber number) -> std::optional<Former> {
        const Node node = values_.node(number);
        if (node.kind == Node::Kind::unknown && node.register_number == result) {
            return node.at == division.called      ? Former{place.team_size, true}
                   : node.at == division.number_of ? Former{place.thread_num, true}
                                                   : Former();
        }
        if (node.kind != Node::Kind::load) {
            return std::nullopt;
        }
        const Former loaded = now_.ask(here_, {number, 0});
        const bool is_handed =
            Term{node.first.base, 0} == Terms::at_entry(data) && now_.at_entry(data).value;
        return loaded.value || !is_handed ? std::optional(loaded) : std::nullopt;
    };
    Evaluation there(values_, {std::nullopt, [](Register) { return Value(); }, memory_,
                               [&](Register name) { return now_.at_entry(name); }, given});
    return there.ask(0, term).value;
}

Value LoopIteration::count_of(const LoopDivision &division) {
    const Computation &made = values_.code().at(division.index).computation;
    const Term divided = values_.before(division.index).held[made.first.number];
    const Value count = in_thread(divided, division, {0, 1});
    return count ? Value(extended(*count, made.width)) : std::nullopt;
}

Value LoopIteration::in_own(const LoopDivision &division, const PlaceInTeam &place) {
    const Value count = count_of(division);
    if (!count || static_cast<std::int64_t>(*count) <= 0 || place.team_size <= 0) {
        return std::nullopt;
    }
    const auto all = static_cast<std::int64_t>(*count);
    const PlaceInTeam second{1, 2};
    const auto apart = static_cast<std::uint64_t>(own_part(all, second).begin);
    const OwnPart own = own_part(all, place);
    std::vector<Value> found;
    for (const Counter &each : counters()) {
        const Value begin = in_thread(each.set_to.front(), division, place);
        const Value one = in_thread(each.set_to.front(), division, {0, 2});
        const Value other = in_thread(each.set_to.front(), division, second);
        if (each.set_to.size() != 1 || !begin || !one || !other) {
            continue;
        }
        const std::uint64_t way = extended(cut(*other - *one, each.width), each.width);
        const auto step = static_cast<std::int64_t>(way) / static_cast<std::int64_t>(apart);
        const auto unsigned_step = static_cast<std::uint64_t>(step);
        const bool is_whole = step != 0 && unsigned_step * apart == way;
        if (is_whole && (each.step == 0 || cut(each.step - unsigned_step, each.width) == 0)) {
            const Value done = times(*begin, each.now, unsigned_step, each.width);
            const bool is_inside = done && *done < static_cast<std::uint64_t>(own.end - own.begin);
            found.push_back(is_inside ? Value(*done + static_cast<std::uint64_t>(own.begin))
                                      : std::nullopt);
        }
    }
    return same(found);
}

}  // namespace gdb_ompd::code
