// SPDX-License-Identifier: Apache-2.0
// Which iteration of a worksharing loop GCC's code executes at a place.
//
// The code has a counter: a register or a place on the stack that it sets before the loop and
// changes by the same number for each iteration. What it is set to is what the runtime has given,
// or what the code computes from the number of the thread and that of the team's threads. Then two
// threads' parts tell how much the counter is changed for an iteration.
#pragma once

#include "code/evaluation.hpp"
#include "code/loop_calls.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace gdb_ompd::code {

// The number of a thread in its team, and of that team's threads.
struct PlaceInTeam {
    std::int64_t thread_num = 0, team_size = 0;
};

// The iterations of so many, counted from 0, that GCC's code gives to a thread, without the END.
struct OwnPart {
    std::int64_t begin = 0, end = 0;
};
[[nodiscard]] OwnPart own_part(std::int64_t count, const PlaceInTeam &place);

class LoopIteration {
public:
    // All outlives it. NOW has the values of a function that is at the instruction HERE, HELD the
    // registers there, also those that a callee need not preserve.
    LoopIteration(FunctionReader &functions, FunctionValues &values, std::size_t here,
                  Evaluation &now, ReadRegister held, ReadMemory memory);

    // Of a loop of which the runtime gives out parts: the first value of one is at LOWER. FIRST and
    // STEP are the whole loop's.
    [[nodiscard]] Value in_given(std::uint64_t lower, std::int64_t first, std::int64_t step);
    // Of one that the code shares out by itself.
    [[nodiscard]] Value in_own(const LoopDivision &division, const PlaceInTeam &place);
    // How many iterations a chunk of such a one has; none where the guard asks something else.
    [[nodiscard]] Value chunk_of(const LoopDivision &division);
    // Of one whose chunks, of so many iterations each, the code gives the threads in turn.
    [[nodiscard]] Value in_chunks(const LoopDivision &division, const PlaceInTeam &place,
                                  std::uint64_t chunk);
    // The number of iterations of one without chunks.
    [[nodiscard]] Value count_of(const LoopDivision &division);

private:
    // WIDTH is that of the narrowest value that it is made of. STEP is 0 where the code does not
    // tell it.
    struct Counter {
        std::vector<Term> set_to;
        std::uint64_t step = 0;
        std::uint64_t now = 0;
        unsigned width = pointer_size;
    };
    struct Narrowed {
        Term term;
        unsigned width = pointer_size;
    };

    [[nodiscard]] Narrowed narrowed(Term term, int depth = 0);
    [[nodiscard]] std::vector<Term> ways_to(const Node &joint);
    [[nodiscard]] std::optional<Term> only_way_to(NodeNumber joint, int depth);
    [[nodiscard]] std::optional<bool> has_begun_next(NodeNumber number, Term next,
                                                     const std::vector<std::size_t> &back);
    [[nodiscard]] std::optional<Counter> in_register(Register name);
    [[nodiscard]] std::vector<Counter> counters();
    // What is done to a place on the stack: which instructions change it besides those that set it,
    // and by which number, 0 where that is not plain.
    struct Changes {
        std::vector<Term> set_to;
        std::vector<std::size_t> others;
        std::uint64_t step = 0;
        unsigned width = pointer_size;
    };
    [[nodiscard]] const std::map<Term, Changes> &changes();
    void add_in_memory(std::vector<Counter> &found);
    // Whether an instruction is in a loop with HERE that begins behind the division.
    [[nodiscard]] bool is_around_here(std::size_t index, const LoopDivision &division) const;
    // What a node that the loop around HERE changes is when it begins.
    [[nodiscard]] std::optional<Term> at_first(NodeNumber number, const LoopDivision &division);
    [[nodiscard]] bool is_loaded_from(Term term, Term place) const;
    // What a TERM would be in such a thread.
    [[nodiscard]] Value in_thread(Term term, const LoopDivision &division,
                                  const PlaceInTeam &place);

    FunctionReader &functions_;
    FunctionValues &values_;
    std::size_t here_;
    Evaluation &now_;
    ReadRegister held_;
    ReadMemory memory_;
    FunctionValues::State state_;
    std::optional<std::map<Term, Changes>> changes_;
    int depth_ = 0;  // of what is asked for what is asked
};

}  // namespace gdb_ompd::code
