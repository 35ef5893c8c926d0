// SPDX-License-Identifier: Apache-2.0
// What registers held when an instruction of a function was last executed: of one that a thread
// is in by its frame, of one that has returned by what it was called with.
#pragma once

#include "code/user_calls.hpp"

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace gdb_ompd {

// A value, and whether it cannot have been another, however often the instruction was executed.
struct Former {
    code::Value value;
    bool stable = false;
};

class FormerValues {
public:
    FormerValues(code::UserCalls &calls, const code::FunctionCode &code)
        : calls_(calls), code_(code), convention_(calls.functions().architecture()->convention()) {}
    FormerValues(const FormerValues &) = delete;
    FormerValues &operator=(const FormerValues &) = delete;
    FormerValues(FormerValues &&) = delete;
    FormerValues &operator=(FormerValues &&) = delete;
    virtual ~FormerValues() = default;

    // An argument of the call at INDEX, counted from 0, and a register before an instruction.
    [[nodiscard]] virtual Former argument(std::size_t index, std::size_t number) = 0;
    [[nodiscard]] virtual Former held_by(std::size_t index, code::Register name) = 0;

protected:
    [[nodiscard]] code::Value memory(std::uint64_t address, unsigned size) const;

    code::UserCalls &calls_;
    const code::FunctionCode &code_;
    code::CallingConvention convention_;
};

// In a frame whose function is at the instruction HERE.
class ValuesOfFrame : public FormerValues {
public:
    ValuesOfFrame(code::UserCalls &calls, const code::FunctionCode &code, const code::Frame &frame,
                  std::size_t here)
        : FormerValues(calls, code), frame_(frame), here_(here) {}

    [[nodiscard]] Former argument(std::size_t index, std::size_t number) override;
    [[nodiscard]] Former held_by(std::size_t index, code::Register name) override;

private:
    using Between = std::optional<std::vector<bool>>;

    template <class Ask> Former ask(std::size_t index, Ask question);
    [[nodiscard]] const Between &between(std::size_t index, bool again);
    [[nodiscard]] Between ways(std::size_t index, bool again) const;
    [[nodiscard]] code::Value unchanged(code::Register name, std::size_t index, bool again);
    [[nodiscard]] bool is_kept(std::uint64_t address, std::size_t index, bool again);

    const code::Frame &frame_;
    std::size_t here_;
    std::map<std::pair<std::size_t, bool>, Between> between_;
    std::map<std::tuple<code::Register, std::size_t, bool>, code::Value> unchanged_;
};

// In a function that was called at CALL of one with the values of CALLER. What is not known of it,
// and its frame, is at addresses that nothing has.
class ValuesOfCall : public FormerValues {
public:
    ValuesOfCall(code::UserCalls &calls, const code::FunctionCode &code, FormerValues &caller,
                 std::size_t call, int depth)
        : FormerValues(calls, code), caller_(caller), call_(call), depth_(depth),
          has_frame_(sets_up_frame()) {}

    [[nodiscard]] Former argument(std::size_t index, std::size_t number) override;
    [[nodiscard]] Former held_by(std::size_t index, code::Register name) override;
    // Whether ADDRESS is one of those.
    [[nodiscard]] static bool is_made_up(std::uint64_t address);

private:
    template <class Ask> Former ask(std::size_t index, Ask question);
    [[nodiscard]] bool sets_up_frame() const;
    [[nodiscard]] std::uint64_t made_up(code::Register name) const;
    [[nodiscard]] Former at_entry(code::Register name);
    [[nodiscard]] code::Value place(std::size_t store);
    [[nodiscard]] Former stored(std::uint64_t address, std::size_t before);

    FormerValues &caller_;
    std::size_t call_;
    int depth_;
    bool has_frame_;
    int looked_through_ = 0;
    std::map<std::size_t, code::Value> places_;  // by store
    std::map<code::Register, Former> entry_;
};

}  // namespace gdb_ompd
