// SPDX-License-Identifier: Apache-2.0
// What a stopped thread waits for, as its stack shows it: which kind of waiting it is, and
// for which of the user's objects.
#pragma once

#include "code/call_arguments.hpp"
#include "stop/call_places.hpp"
#include "stop/host_fallbacks.hpp"
#include "unwind/unwinder.hpp"

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

// All frames of a thread, innermost first, or as many as are looked at; nothing where they cannot
// be told.
std::vector<code::Frame> whole_frames(Unwinder &unwinder, ThreadStack &stack);

// The same up to the user's innermost, with that.
std::vector<code::Frame> frames_to_user(Unwinder &unwinder, ThreadStack &stack);

// The same with those around it, as far as a place in the user's code is looked for.
std::vector<code::Frame> frames_around_user(Unwinder &unwinder, ThreadStack &stack);

// A function of the user's that the runtime has called on a thread's stack, 0 where that is not
// known, by what: an entry point, if it is one.
struct CalledBody {
    std::uint64_t function = 0;
    const code::EntryPoint *caller = nullptr;
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
    // The body of the construct that the first of USERS, a user's frame before its callers, gave
    // to the runtime, or the one that has jumped to it.
    [[nodiscard]] code::Value body_given(std::span<const code::Frame> users);
    // The bodies that the runtime has called, innermost first. One may have ended with a jump: then
    // only the call through a pointer shows it.
    [[nodiscard]] std::vector<CalledBody> bodies(std::span<const code::Frame> frames);
    // Where the function of a BODY's frame begins if its CALLER, the runtime's, has called it, and
    // not one that has ended with a jump to it; 0 where that is not known.
    [[nodiscard]] std::uint64_t body_called(const code::Frame &body, const code::Frame &caller);
    // Whether PC is in a function of the user's that is known and starts no stack.
    [[nodiscard]] bool is_in_body(std::uint64_t pc);
    // Whether PC is in a runtime that calls the bodies of regions by one function of its own.
    [[nodiscard]] bool has_microtask(std::uint64_t pc) const;
    // Whether PC is in a runtime whose threads call the bodies of regions in the function that they
    // start in, and those of tasks where they wait.
    [[nodiscard]] bool calls_bodies_itself(std::uint64_t pc) const;
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
    [[nodiscard]] HostFallbacks &fallbacks() { return fallbacks_; }

private:
    [[nodiscard]] bool is_users(std::uint64_t pc) const;
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
    [[nodiscard]] const code::Frame *outermost_of_runtime(std::span<const code::Frame> below) const;
    void note_library(ThreadWait &wait, std::span<const code::Frame> users, bool works);
    void note_function(ThreadWait &wait, const code::Called &called);
    void note_kind(ThreadWait &wait, const code::Called &called, std::span<const code::Frame> below,
                   std::span<const code::Frame> users);
    void note_target(ThreadWait &wait, const code::EntryPoint &entry,
                     std::span<const code::Frame> below);
    [[nodiscard]] bool waits_for_dependences(std::span<const code::Frame> below);
    [[nodiscard]] std::optional<code::WaitKind> flagged(const code::Called &called,
                                                        std::span<const code::Frame> users);
    // Whether the innermost frames BELOW the user's code are before the call of the body.
    [[nodiscard]] bool calls_body_next(std::span<const code::Frame> below);
    [[nodiscard]] bool calls_body_later(std::span<const code::Frame> below);

    std::shared_ptr<AddressSpace> space_;
    std::shared_ptr<const code::CodeMap> code_;
    code::UserCalls calls_;
    code::CallArguments arguments_{calls_};
    CallPlaces places_{calls_, arguments_};
    struct RuntimeCode {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        bool has_microtask = false;
        bool calls_bodies_itself = false;
    };
    [[nodiscard]] const RuntimeCode *runtime_at(std::uint64_t pc) const;

    std::vector<RuntimeCode> runtimes_;
    HostFallbacks fallbacks_{calls_};
    std::optional<bool> has_targets_;  // none until it is asked
    bool has_plugins_ = false;
    std::vector<std::uint64_t> dependence_waits_;  // where GCC's taskwaits with dependences begin
};

}  // namespace gdb_ompd
