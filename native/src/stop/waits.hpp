// SPDX-License-Identifier: Apache-2.0
// What a stopped thread waits for, as its stack shows it: which kind of waiting it is, and
// for which of the user's objects.
#pragma once

#include "code/call_arguments.hpp"
#include "stop/call_places.hpp"
#include "stop/called_bodies.hpp"
#include "stop/host_fallbacks.hpp"
#include "stop/unwound_frames.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd {

inline constexpr std::string_view unnamed = "?";  // an entry point of the runtime without a name

// Where a thread is outside of the user's code, and what it waits for there.
struct ThreadWait {
    // The runtime's function that the user's code called; "?" for one without a name.
    std::string entry_point;
    // The function of the system's, or of another library, if that is what it called.
    std::string outside;
    // The function of another library's that the user's code has called, in which OUTSIDE was
    // called. With it the program counter of the frame that has called it, if it is the user's
    // place: 0 where the library uses OpenMP.
    std::string library;
    std::uint64_t caller = 0;
    // OUTSIDE was called by such a library, and no frame of the thread shows who called that: the
    // library has begun the region that the thread is in.
    bool in_library = false;
    code::WaitKind kind = code::WaitKind::none;
    std::optional<std::uint64_t> object;
    // The wait is for the dependences of a task that the thread is about to execute.
    bool undeferred = false;
    // The frames are the runtime's, and none of the user's is known: a worker in no task.
    bool in_runtime = false;
    // A signal has interrupted it, and no frame of the user's is further inside.
    bool in_handler = false;
    // Such a worker of GCC's runtime calls a body next: it is not at a region's end.
    bool before_body = false;
    // A function of the user's called it that left no frame; where it begins, and the jumps
    // by which it may have left, as far as they are known.
    bool frameless = false;
    std::optional<std::uint64_t> function;
    std::vector<std::uint64_t> jumps;
    // Of a barrier, an atomic construct and a taskgroup: the places that tell which it is.
    std::vector<CallPlace> places;
    bool is_certain = false;  // the runtime's own data tell which barrier it is

    bool operator==(const ThreadWait &) const = default;
};

class WaitReader {
public:
    WaitReader(std::shared_ptr<AddressSpace> space, const Modules &modules,
               std::shared_ptr<const code::CodeMap> code, const Modules &runtimes);
    WaitReader(const WaitReader &) = delete;  // what it has leads back to it
    WaitReader &operator=(const WaitReader &) = delete;
    ~WaitReader() = default;

    // What the thread with FRAMES, innermost first, waits for. USER is the place of the
    // user's innermost frame; none where there is no such frame.
    [[nodiscard]] ThreadWait read(std::span<const code::Frame> frames,
                                  std::optional<std::size_t> user);
    // The same of a thread by its stack; none where its frames cannot be told. ADDRESSES are the
    // program counters up to the user's frame that is not to be passed over. Where its file knows
    // no source lines, they go on up to one whose file does or what the runtime has called.
    struct Read {
        std::vector<std::uint64_t> addresses;
        ThreadWait wait;
        bool is_long = false;  // frames around those are with them

        bool operator==(const Read &) const = default;
    };
    [[nodiscard]] std::optional<Read> read(Unwinder &unwinder, ThreadStack &stack);
    // The same of all of FRAMES, whoever has unwound them. ADDRESSES are those of all.
    [[nodiscard]] Read read_all(std::span<const code::Frame> frames);
    // Whether the program's code has target constructs, as far as its files tell.
    [[nodiscard]] bool has_targets();
    // Whether a runtime has a device.
    [[nodiscard]] bool has_plugins() const { return has_plugins_; }
    // What memory said is read again at the next stop.
    void end_stop() {
        calls_.end_stop();
        places_.end_stop();
    }

    [[nodiscard]] code::UserCalls &calls() { return calls_; }
    [[nodiscard]] CalledBodies &bodies() { return bodies_; }
    [[nodiscard]] HostFallbacks &fallbacks() { return fallbacks_; }

private:
    [[nodiscard]] std::size_t to_lines(Unwinder &unwinder, ThreadStack &stack,
                                       std::size_t count) const;
    [[nodiscard]] ThreadWait waiting(const code::Called &called, std::span<const code::Frame> below,
                                     std::span<const code::Frame> users);
    [[nodiscard]] ThreadWait frameless(const code::WithoutFrame &gone,
                                       std::span<const code::Frame> below);
    [[nodiscard]] std::optional<std::uint64_t> futex_of_lock(const code::EntryPoint &entry,
                                                             std::span<const code::Frame> below);
    [[nodiscard]] std::optional<std::uint64_t> kept_object(const code::EntryPoint &entry,
                                                           std::span<const code::Frame> below);
    void note_library(ThreadWait &wait, std::span<const code::Frame> users, bool works);
    void note_function(ThreadWait &wait, const code::Called &called);
    void note_kind(ThreadWait &wait, const code::Called &called, std::span<const code::Frame> below,
                   std::span<const code::Frame> users);
    void note_target(ThreadWait &wait, const code::EntryPoint &entry,
                     std::span<const code::Frame> below);
    [[nodiscard]] bool waits_for_dependences(std::span<const code::Frame> below);
    [[nodiscard]] bool waits_for_event(std::span<const code::Frame> below,
                                       std::span<const code::Frame> users);
    [[nodiscard]] std::optional<code::WaitKind> flagged(const code::Called &called,
                                                        std::span<const code::Frame> users);

    std::shared_ptr<AddressSpace> space_;
    std::shared_ptr<const code::CodeMap> code_;
    code::UserCalls calls_;
    code::CallArguments arguments_{calls_};
    CallPlaces places_{calls_, arguments_};
    CalledBodies bodies_{calls_, arguments_, *code_};
    HostFallbacks fallbacks_{calls_};
    std::optional<bool> has_targets_;  // none until it is asked
    bool has_plugins_ = false;
    std::vector<std::uint64_t> dependence_waits_;  // where GCC's taskwaits with dependences begin
};

}  // namespace gdb_ompd
