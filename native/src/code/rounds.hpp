// SPDX-License-Identifier: Apache-2.0
// What a thread does in a loop, whatever differs from round to round.
#pragma once

#include "code/ahead.hpp"
#include "code/control_flow.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

class Rounds {
public:
    // Those of the loop around PC, for a thread that is at BEGIN.
    Rounds(UserCalls &calls, Ahead begin, std::uint64_t pc);

    // Whether it goes on with the loop until others write something or, if it asks for the time,
    // that has passed: it changes nothing else than its own, and all that it does is known.
    [[nodiscard]] bool go_on() const;
    // Whether it comes to PC again at all.
    [[nodiscard]] bool comes() const { return comes_; }
    // The branches that may leave the loop, by what is not known.
    [[nodiscard]] const std::set<std::uint64_t> &leaves() const { return leaves_; }
    // As Ahead has it, of all ways.
    [[nodiscard]] const std::map<Piece, Value> &read() const { return read_; }
    [[nodiscard]] const std::map<Piece, Value> &own_read() const { return own_read_; }
    [[nodiscard]] bool writes(const Piece &piece) const { return written_.contains(piece); }
    [[nodiscard]] const std::map<Piece, WaitKind> &tried() const { return tried_; }
    // Whether it goes on until others write something, however late that is, and lets no lock go.
    [[nodiscard]] bool keeps_all() const { return leaves_.empty() && !asks_time_ && !lets_go_; }

private:
    void follow(Ahead ahead);
    void fork(const Ahead &ahead);
    [[nodiscard]] bool leads_back(std::uint64_t to) const;

    const FunctionCode *code_;
    std::optional<ControlFlow> ways_;
    std::uint64_t pc_;
    std::map<std::pair<Ahead::End, std::vector<std::uint64_t>>, Ahead> known_;  // by place
    std::deque<Ahead> left_;
    std::set<std::uint64_t> leaves_, decided_;
    std::set<Piece> written_;
    std::map<Piece, Value> read_, own_read_;
    std::map<Piece, WaitKind> tried_;
    bool is_known_ = true;
    bool comes_ = false;
    bool asks_time_ = false;
    bool lets_go_ = false;
};

}  // namespace gdb_ompd::code
