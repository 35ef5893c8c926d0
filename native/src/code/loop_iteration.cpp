// SPDX-License-Identifier: Apache-2.0
#include "code/loop_iteration.hpp"

#include "code/kept_registers.hpp"
#include "code/known.hpp"

#include <algorithm>
#include <utility>

namespace gdb_ompd::code {

namespace {

constexpr int most_narrowed = 20;  // of a value's nodes
constexpr int deepest_narrowed = 3;
constexpr int deepest_first = 4;  // of loops around one another

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

// Whether the thread has passed the test at an iteration's end, behind which the next one begins,
// since it was at the joint of a loop's values, of which that in NUMBER has been changed to NEXT
// before the test: of a loop whose first iteration is apart the joint is inside of an iteration. A
// way back to the joint comes from the blocks BACK. None where the thread may or may not have
// passed it.
std::optional<bool> LoopIteration::has_begun_next(NodeNumber number, Term next,
                                                  const std::vector<std::size_t> &back) {
    const ControlFlow &flow = values_.flow();
    const std::size_t joint = values_.node(number).at;
    std::vector<bool> ends(values_.code().instructions().size());
    std::vector<bool> tests(ends.size());
    ends[joint] = true;
    const auto goes_on = [&](std::size_t index) {
        const auto found = reached(flow, {index}, ends);
        return std::ranges::any_of(
            back, [&](std::size_t block) { return found[flow.blocks()[block].end - 1]; });
    };
    std::vector<std::size_t> begins;
    for (const ControlFlow::Block &block : flow.blocks()) {
        const std::size_t last = block.end - 1;
        const auto ways = flow.next(last);
        const auto inside = std::ranges::find_if(ways, goes_on);
        if (values_.code().at(last).operation != Operation::branch || inside == ways.end() ||
            std::ranges::all_of(ways, goes_on)) {
            continue;
        }
        const auto held = values_.before(last).held;
        if (std::ranges::any_of(held, [&](Term one) { return narrowed(one).term == next; })) {
            tests[last] = true;
            begins.push_back(*inside);
        }
    }
    const bool has_not = reached(flow, {joint}, tests)[here_];
    const bool has = reached(flow, begins, ends)[here_];
    return has && has_not ? std::nullopt : std::optional(has);
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
    std::vector<std::size_t> back;
    const auto ways = ways_to(node);
    for (std::size_t number = 0; number < ways.size(); ++number) {
        const Narrowed one = narrowed(ways[number]);
        counter.width = std::min(counter.width, one.width);
        if (one.term.base != here.term.base) {
            counter.set_to.push_back(one.term);
        } else if (counter.step != 0 && counter.step != one.term.offset) {
            return std::nullopt;
        } else {
            counter.step = one.term.offset;
            back.push_back(
                values_.flow().blocks()[values_.flow().block_of(node.at)].before[number]);
        }
    }
    if (counter.step == 0 || counter.set_to.empty()) {
        return std::nullopt;
    }
    const Term next{here.term.base, counter.step};
    const auto has_begun = has_begun_next(here.term.base, next, back);
    counter.now += has_begun.value_or(false) ? counter.step : 0;
    return has_begun ? std::optional(counter) : std::nullopt;
}

const std::map<Term, LoopIteration::Changes> &LoopIteration::changes() {
    if (changes_) {
        return *changes_;
    }
    changes_.emplace();
    const FunctionCode &code = values_.code();
    for (std::size_t index = 0; index < code.instructions().size(); ++index) {
        const Instruction &one = code.at(index);
        const auto place = one.changes_memory() && values_.is_reached(index)
                               ? values_.address(values_.before(index), index)
                               : std::nullopt;
        if (!place || place->is_number()) {
            continue;
        }
        Changes &made = (*changes_)[*place];
        made.width = std::min<unsigned>(made.width, one.width);
        const bool is_store = one.operation == Operation::store;
        const bool is_set = is_store && one.source < flags;
        const Term stored = is_set ? narrowed(values_.before(index).held[one.source]).term : Term();
        if (is_set && !is_loaded_from({stored.base, 0}, *place)) {
            made.set_to.push_back(stored);
        } else if (is_store && one.source == no_register) {
            made.set_to.push_back({no_node, static_cast<std::uint64_t>(one.immediate)});
        } else {
            made.others.push_back(index);
            made.step = is_set ? stored.offset
                        : one.operation == Operation::update
                            ? static_cast<std::uint64_t>(one.immediate)
                            : 0;
        }
    }
    return *changes_;
}

// Places on the stack that are changed by one instruction besides those that set them.
void LoopIteration::add_in_memory(std::vector<Counter> &found) {
    for (const auto &[place, made] : changes()) {
        const bool is_counter = made.others.size() == 1 && !made.set_to.empty();
        const Value address = is_counter ? now_.ask(here_, place).value : Value();
        const Value now = address ? memory_(*address, made.width).value : std::nullopt;
        if (now) {
            found.push_back({made.set_to, made.step, *now, made.width});
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
    if (depth_ >= deepest_first) {
        return std::nullopt;
    }
    const Register data = values_.convention().arguments.front();
    const Register result = values_.convention().returned;
    // What the code around hands over is there all along; other memory may be another by now.
    const auto given = [&](NodeNumber number) -> std::optional<Former> {
        const Node node = values_.node(number);
        if (const auto first =
                division.may_be_in_chunks ? at_first(number, division) : std::nullopt) {
            return Former{in_thread(*first, division, place), true};
        }
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
    ++depth_;
    const Former found = there.ask(0, term);
    --depth_;
    return found.value;
}

bool LoopIteration::is_around_here(std::size_t index, const LoopDivision &division) const {
    std::vector<bool> begins(values_.code().instructions().size());
    begins[division.called] = true;
    const ControlFlow &flow = values_.flow();
    return reached(flow, {index}, begins)[here_] && reached(flow, {here_}, begins)[index];
}

std::optional<Term> LoopIteration::at_first(NodeNumber number, const LoopDivision &division) {
    const Node node = values_.node(number);
    const bool is_joint = node.kind == Node::Kind::joint;
    if ((!is_joint && node.kind != Node::Kind::load) || !is_around_here(node.at, division)) {
        return std::nullopt;
    }
    std::vector<Term> found;
    const auto made = changes().find(node.first);
    if (is_joint) {
        const auto &blocks = values_.flow().blocks();
        for (const std::size_t way : blocks[values_.flow().block_of(node.at)].before) {
            if (!is_around_here(blocks[way].end - 1, division)) {
                found.push_back(values_.behind(way).held[node.register_number]);
            }
        }
    } else if (made != changes().end() && made->second.others.size() == 1 &&
               is_around_here(made->second.others.front(), division)) {
        found = made->second.set_to;
    }
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

Value LoopIteration::chunk_of(const LoopDivision &division) {
    const Node asked = values_.node(values_.before(division.guard).held[flags].base);
    const Computation &made = values_.code().at(asked.at).computation;
    if (asked.kind != Node::Kind::compared || made.arithmetic != Arithmetic::subtract) {
        return std::nullopt;
    }
    // One side is how many iterations come before the thread's first chunk.
    for (const Operand &side : {made.first, made.second}) {
        if (side.kind != Operand::Kind::in_register) {
            continue;
        }
        const Register number = side.number;
        const Term before = values_.part(values_.before(asked.at).held[number], made.width, true);
        const Value none = in_thread(before, division, {0, 3});
        const Value one = in_thread(before, division, {1, 3});
        const Value two = in_thread(before, division, {2, 3});
        if (none == 0 && one && two && static_cast<std::int64_t>(*one) > 0 && *two == 2 * *one) {
            return one;
        }
    }
    return std::nullopt;
}

Value LoopIteration::in_chunks(const LoopDivision &division, const PlaceInTeam &place,
                               std::uint64_t chunk) {
    const auto team = static_cast<std::uint64_t>(place.team_size);
    std::vector<Value> found;
    for (const Counter &each : counters()) {
        const bool is_one = each.set_to.size() == 1 && each.step != 0;
        const Value first = is_one ? in_thread(each.set_to.front(), division, {0, 2}) : Value();
        const Value other = is_one ? in_thread(each.set_to.front(), division, {1, 2}) : Value();
        if (!first || !other || cut(*other - *first - chunk * each.step, each.width) != 0) {
            continue;
        }
        const Value done = times(*first, each.now, each.step, each.width);
        const bool is_own =
            done && *done / chunk % team == static_cast<std::uint64_t>(place.thread_num);
        found.push_back(is_own ? done : std::nullopt);
    }
    return same(found);
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
