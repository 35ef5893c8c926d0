// SPDX-License-Identifier: Apache-2.0
// The target constructs that a stopped thread is in, as the frames of its stack show them.
#pragma once

#include "code/outlined_names.hpp"
#include "stop/region_calls.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd {

struct TargetConstruct {
    code::WaitKind kind = code::WaitKind::target;
    // Where the user's code called the runtime or, without a device, the region's function; 0 where
    // no frame of the thread's has.
    std::uint64_t pc = 0;
    std::uint64_t function = 0;  // the region's for GCC's runtime; 0 where it is not known
    bool executes = false;       // the region's code; otherwise it waits for the device
    bool on_host = false;        // the region's code is executed there, as far as it is executed
    // As the call was given it; below 0 it is a default.
    std::optional<std::int64_t> device;
    std::optional<std::int64_t> default_device;  // of the thread, where it is that
    std::string plugin;                          // the file of the device's, which is on the stack
    std::optional<code::TargetRegion> region;    // by the name of its function
    std::size_t regions = 0;                     // how many parallel ones the thread began inside
    bool has_league = false;                     // it began one inside
    // The runtime's records of the thread begin anew in it: GCC's.
    bool is_anew = false;

    [[nodiscard]] bool executes_on_host() const { return executes && on_host; }
    // Whether the program has named no device.
    [[nodiscard]] bool is_for_default() const { return device.value_or(0) < 0; }
};

struct ThreadTargets {
    std::vector<TargetConstruct> constructs;  // innermost first
    std::size_t regions = 0;                  // how many parallel ones its stack shows it to begin
};

class TargetReader {
public:
    // Both outlive it.
    TargetReader(WaitReader &waits, RegionNames &names) : waits_(waits), names_(names) {}

    // Of all FRAMES of a thread.
    [[nodiscard]] ThreadTargets of(std::span<const code::Frame> frames);

private:
    using Frames = std::span<const code::Frame>;
    // What the user's frames further in have shown of the next construct.
    struct Inner {
        bool is_called = false;  // the runtime has called the user's code
        std::size_t begin = 0;   // the first frame behind it
        std::optional<code::TargetRegion> region;
        bool falls_back = false;     // GCC's runtime has called it on the host
        std::uint64_t function = 0;  // what that has called
        std::size_t regions = 0;
        bool has_league = false;
    };
    void add_left(Frames frames, std::size_t end, Inner &inner);
    [[nodiscard]] std::uint64_t function_left(Frames frames);
    [[nodiscard]] std::optional<code::TargetRegion> region_at(const code::Frame &frame,
                                                              bool innermost) const;
    [[nodiscard]] std::optional<code::TargetRegion> inlined_at(const code::Frame &frame,
                                                               bool innermost);
    [[nodiscard]] std::optional<TargetConstruct>
    called(Frames frames, std::size_t at, const code::Called &called, const Inner &inner);
    [[nodiscard]] std::optional<std::int64_t> argument(int number, const code::Called &called,
                                                       Frames frames, std::size_t at);
    [[nodiscard]] std::optional<code::TargetRegion> region_named(const code::Called &called,
                                                                 Frames frames, std::size_t at);
    [[nodiscard]] std::string plugin_in(Frames frames) const;

    WaitReader &waits_;
    RegionNames &names_;
};

}  // namespace gdb_ompd
