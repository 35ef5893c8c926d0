// SPDX-License-Identifier: Apache-2.0
// What the places tell at which GCC's libgomp begins and ends something, in a process that
// stands at one of them (recovery/gnu_events.hpp).
#pragma once

#include "code/architecture.hpp"
#include "elf/address_space.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gdb_ompd::gnu {

class EventPlaces {
public:
    using Told = std::map<std::string, std::uint64_t, std::less<>>;

    // TOLD is by the places' addresses in the file, which is mapped with BIAS.
    EventPlaces(std::shared_ptr<AddressSpace> space, std::uint64_t bias, Told told)
        : space_(std::move(space)),
          architecture_(code::make_architecture(space_->layout().machine)), bias_(bias),
          told_(std::move(told)) {}

    // A register's value now, by GDB's name for it.
    using ReadRegister = std::function<std::uint64_t(std::string_view name)>;
    // The outlined function that is called at PC, or has returned there; none if it cannot be
    // known.
    [[nodiscard]] std::optional<std::uint64_t> function(std::uint64_t pc, const ReadRegister &read);
    // Whether a league begins or ends at PC, or one of its teams; a region otherwise.
    [[nodiscard]] bool is_leagues(std::uint64_t pc) const { return told(pc, "league").has_value(); }
    [[nodiscard]] bool is_teams(std::uint64_t pc) const { return told(pc, "team").has_value(); }
    // Whether PC is in the function that user code calls for a device.
    [[nodiscard]] bool is_target_call(std::uint64_t pc) const;
    // Whether that call, of a caller whose frame ends at SP, executes the construct, and does not
    // only make a task of it.
    [[nodiscard]] bool executes_target(std::uint64_t pc, std::uint64_t sp) const;

private:
    [[nodiscard]] std::optional<std::uint64_t> told(std::uint64_t pc, const char *what) const;
    // GDB's name of a general register; empty for a number that none has.
    [[nodiscard]] std::string_view name_of(std::uint64_t number) const;

    std::shared_ptr<AddressSpace> space_;
    std::unique_ptr<code::Architecture> architecture_;  // null for one that is not known
    std::uint64_t bias_;
    Told told_;
};

}  // namespace gdb_ompd::gnu
