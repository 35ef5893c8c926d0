// SPDX-License-Identifier: Apache-2.0
// Memory in which a getter of the runtime finds a thread that does not exist. Every pointer that it
// loads leads to a new object, and no number occurs twice. What it returns then tells from where it
// was read. The runtime's own variables are the target's.
#pragma once

#include "interpreter.hpp"

#include <array>
#include <optional>

namespace libgompd {

// Where a number is: at OFFSETS[0] from the thread pointer, or in the object that the
// pointer there leads to, and so on.
struct Path {
    std::array<std::int64_t, 4> offsets{};
    std::size_t depth = 0;
    std::size_t size = 0;  // of the number

    [[nodiscard]] bool operator==(const Path &) const = default;
};

class ImaginedThread final : public Memory {
public:
    explicit ImaginedThread(const Interpreted &target) : target_(target) {}

    std::optional<std::uint64_t> load(std::uint64_t address, std::size_t size) override;
    bool store(std::uint64_t address, std::size_t size, std::uint64_t value) override;

    // Let VALUE be what is at OFFSET from the thread pointer.
    void plant(std::int64_t offset, std::uint64_t value) { planted_ = {offset, value}; }
    // Let the target's variable at ADDRESS have VALUE.
    void replace(std::uint64_t address, std::uint64_t value) { replaced_ = {address, value}; }

    // Interpret a function for this thread, on a stack of its own.
    Ending call(Entry entry);
    Ending call(std::uint64_t function) { return call(Entry{.function = function}); }
    // The same with pointers to two numbers as its arguments.
    Ending call_for_results(std::uint64_t function);
    // What was stored to one of these.
    [[nodiscard]] std::optional<std::uint64_t> stored(int which) const;

    // From where a number comes; none if it is no number that this memory made up.
    [[nodiscard]] std::optional<Path> path_of(std::uint64_t value) const;
    // How far an address is from the thread pointer; none if it is of something else.
    [[nodiscard]] static std::optional<std::int64_t> distance(std::uint64_t address);
    [[nodiscard]] bool was_loaded(const Path &path) const;
    // What was loaded last for the first time.
    [[nodiscard]] Path last_loaded() const;

    struct Variable {
        std::uint64_t address = 0;
        std::uint64_t value = 0;
        std::size_t size = 0;
    };
    [[nodiscard]] std::span<const Variable> variables() const {
        return {variables_.data(), variable_count_};
    }

private:
    struct Slot {
        std::size_t object = 0;
        std::int64_t offset = 0;
        std::size_t size = 0;
        std::uint64_t value = 0;
    };
    struct Known {
        std::uint64_t where = 0;
        std::uint64_t value = 0;
        std::size_t size = 0;
    };

    std::optional<std::uint64_t> load_imagined(std::uint64_t address, std::size_t size);
    std::optional<std::uint64_t> load_variable(std::uint64_t address, std::size_t size);
    [[nodiscard]] Path path_to(const Slot &slot) const;

    const Interpreted &target_;
    std::array<Slot, 48> slots_;
    std::size_t slot_count_ = 0;
    std::size_t object_count_ = 1;  // the thread itself is the first
    std::array<Known, 16> stores_;
    std::size_t store_count_ = 0;
    std::array<Variable, 32> variables_;
    std::size_t variable_count_ = 0;
    std::optional<std::pair<std::int64_t, std::uint64_t>> planted_;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> replaced_;
};

}  // namespace libgompd
