// SPDX-License-Identifier: Apache-2.0
// What is known of memory in a function: by its own stores and loads.
#pragma once

#include "code/architecture.hpp"
#include "code/terms.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace gdb_ompd::code {

// WIDTH bytes of memory that hold VALUE.
struct Slot {
    Term address;
    std::uint8_t width = 0;
    Term value;

    bool operator==(const Slot &) const = default;
};

// In the order of addresses.
using Slots = std::vector<Slot>;

// Which instructions may change which memory. The function's own stack is changed by nobody else,
// but where the function gives its address to others, and above that. Where it saves what a caller
// wants back, no pointer leads: else the caller would lose it.
class MemoryRules {
public:
    MemoryRules(Terms &terms, const CallingConvention &convention)
        : terms_(terms), stack_pointer_(convention.stack_pointer),
          preserved_(convention.preserved_bits()) {}

    // The value that is loaded by the instruction AT.
    [[nodiscard]] Term load(Slots &slots, std::size_t at, Term address, unsigned width) const;
    void store(Slots &slots, Term address, unsigned width, std::optional<Term> value);
    // What is at WIDTH bytes may be another now; what a function that is called can change.
    void forget(Slots &slots, Term address, std::uint64_t width) const;
    void forget_shared(Slots &slots) const;
    // Others may know VALUE from now on.
    void give_away(Term value);
    [[nodiscard]] std::size_t given_away() const { return given_away_.size(); }
    // Whether a function that is called may change what is at ADDRESS. A variable whose own address
    // is given to nobody is what it was.
    [[nodiscard]] bool is_shared(Term address) const;
    // Whether what is at two addresses may have a byte in common.
    [[nodiscard]] bool overlaps(Term address, std::uint64_t width, Term other,
                                std::uint64_t others) const;

private:
    [[nodiscard]] bool is_stack(Term address) const {
        return terms_.is_from(address, stack_pointer_);
    }
    [[nodiscard]] bool is_saved_register(const Slot &slot) const;
    // Whether an address at or below this one of the stack is given away.
    [[nodiscard]] bool is_reached(Term address) const;

    Terms &terms_;
    Register stack_pointer_;
    std::uint64_t preserved_;  // registers, by bits
    std::set<Term> given_away_;
};

}  // namespace gdb_ompd::code
