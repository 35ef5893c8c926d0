// SPDX-License-Identifier: Apache-2.0
#include "stop/region_calls.hpp"

#include "code/outlined_names.hpp"
#include "stop/runtime_stack.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::EntryPoint;
using code::Frame;
using code::Owner;

namespace {

bool is_region_body(const std::string &name) {
    const auto found = code::outlined(name);
    return found && found->is_region_body();
}

// Whether a CALL is in the function that GCC has made a body in.
bool is_in(const NamedPlace &call, const code::Outlined &body) {
    return body.is_gccs_body() && !body.function.empty() && body.function == call.function;
}

}  // namespace

// One thread's stack, by its return addresses alone or by the debugger's frames. Where addresses do
// not tell all, it is in doubt, and what it says is void.
class RegionCalls::Walk {
public:
    enum class By { addresses, debugger };

    Walk(WaitReader &waits, RegionNames &names, int gdb_num, std::span<const Frame> frames, By by)
        : waits_(waits), calls_(waits.calls()), names_(names), gdb_num_(gdb_num), frames_(frames),
          by_debugger_(by == By::debugger) {}

    // Innermost first.
    std::vector<RegionCall> read() {
        std::optional<std::size_t> body;  // the user's frame that the runtime called
        for (std::size_t at = 0; at < frames_.size() && !in_doubt_; ++at) {
            if (is_user(at)) {
                look_at_names(at);
            }
            if (at > 0 && is_jump(at - 1)) {
                in_doubt_ = !by_debugger_;
                found_.push_back({std::nullopt, at - 1, body, std::nullopt});
                body.reset();
            } else if (at > 0 && is_user(at) && !code::is_interrupted(frames_, at)) {
                add_begun(at, body);
            }
            body = is_user(at) ? std::optional(at) : body;
        }
        return std::move(found_);
    }

    [[nodiscard]] bool in_doubt() const { return in_doubt_; }
    [[nodiscard]] bool is_user(std::size_t at) const { return owner(at) == Owner::user; }

    // Where the construct is. It is not known where a function that was called through a pointer
    // has jumped on, for then no frame of it is left.
    PlaceRef construct(const RegionCall &one) {
        if (!one.caller) {
            const std::uint64_t given =
                called_in(one.callee).value_or(clangs_body(one.body).value_or(0));
            return given == 0 ? names_.unknown_place(frames_[one.callee].pc)
                              : names_.construct_of(given);
        }
        const std::uint64_t returns_to = frames_[code::that_called(frames_, *one.caller)].pc;
        const PlaceRef call = by_debugger_ ? names_.frame_place(gdb_num_, *one.caller)
                                           : names_.call_place(returns_to);
        const code::Value body = body_of(one, *call);
        // GCC has several constructs of a function share a call: then it is not in one's line.
        const auto called = calls_.of_call(returns_to);
        const bool may_be_shared = called && called->entry != nullptr && called->entry->is_of_gcc();
        if (!body && (may_be_shared || !calls_.is_direct(returns_to))) {
            return names_.unknown_place(call->pc);
        }
        return names_.construct_called(call, body);
    }

private:
    [[nodiscard]] Owner owner(std::size_t at) const { return calls_.code().owner(frames_[at].pc); }

    [[nodiscard]] std::uint64_t start_of(std::size_t at) const {
        return calls_.functions().start_of(frames_[at].pc);
    }

    // Where addresses alone are known: a body that the user's code has called itself, or that is
    // inlined, is the debugger's to tell.
    void look_at_names(std::size_t at) {
        if (by_debugger_) {
            return;
        }
        const std::uint64_t pc = frames_[at].pc - (at > 0 ? 1 : 0);
        const auto names = names_.functions_at(pc, calls_.functions().start_of(pc));
        const bool has_called_user = at > 0 && is_user(at - 1);
        in_doubt_ = in_doubt_ || !names || (has_called_user && name_inside_.empty());
        if (in_doubt_) {
            return;
        }
        std::string called = has_called_user ? name_inside_ : std::string();
        std::uint64_t returns_to = has_called_user ? frames_[at].pc : 0;
        for (const std::string &name : *names) {
            in_doubt_ = in_doubt_ || begins(name, called, returns_to);
            called = name;
            returns_to = 0;  // what is inlined into the next one
        }
        name_inside_ = names->empty() ? std::string() : called;
    }

    // Whether the function CALLER begins a region as it calls CALLEE, the body. A task's entry
    // calls its own body, and that of a region which is in it where the task's body is inlined: the
    // call at RETURNS_TO tells, 0 for none.
    [[nodiscard]] bool begins(const std::string &caller, const std::string &callee,
                              std::uint64_t returns_to) {
        return is_region_body(callee) && (!code::is_wrapper_of(caller, callee) ||
                                          (returns_to != 0 && calls_.serialized_body(returns_to)));
    }

    // Whether the frame CALLEE is what a body, or what the system has called back, has ended with a
    // jump to. It begins a region, or ends one: no function of the system's calls that, nor the
    // runtime by its name.
    [[nodiscard]] bool is_jump(std::size_t callee) {
        if (!frames_[callee].is_called || owner(callee) != Owner::runtime) {
            return false;
        }
        const std::size_t caller = callee + 1;
        const std::uint64_t returns_to = frames_[caller].pc;
        if (is_user(caller)) {
            const auto called = calls_.targets().only_target(returns_to);
            if (!called || calls_.code().owner(*called) != Owner::system) {
                return false;
            }
        } else if (calls_.code().is_tools(returns_to) ||
                   (owner(caller) == Owner::runtime && calls_.is_direct(returns_to))) {
            return false;
        }
        return calls_.is_in_region_call(frames_[callee].pc);
    }

    // Whether the call that returns to CALLER is that of the function around CALLEE, or of what is
    // not the user's.
    [[nodiscard]] bool called_it(std::size_t caller, std::size_t callee) const {
        const auto &targets = calls_.targets().targets(frames_[caller].pc);
        if (!is_user(callee)) {
            return std::ranges::none_of(
                targets, [this](std::uint64_t at) { return calls_.code().is_user(at); });
        }
        return targets.size() == 1 && targets.front() == start_of(callee);
    }

    // The entry point that the frame CALLER has called; null for none.
    [[nodiscard]] const EntryPoint *entry(std::size_t caller, std::size_t callee) {
        const auto called = calls_.of_call(frames_[caller].pc);
        if (called && called->entry != nullptr) {
            in_doubt_ = in_doubt_ || (!by_debugger_ && (!called->through.empty() || called->lost));
            return called->entry;
        }
        if (by_debugger_) {
            return code::entry_point(names_.function(gdb_num_, callee).name);
        }
        const auto function = calls_.functions().symbol_at(frames_[callee].pc);
        const EntryPoint *const named =
            function ? code::entry_point(function->symbol.name) : nullptr;
        in_doubt_ = in_doubt_ || owner(callee) == Owner::runtime ||
                    (named != nullptr && named->begins_region);
        return nullptr;
    }

    // What the user's frame CALLER has begun with its call, innermost first: it calls the runtime's
    // entry point, the body itself if the region is serialized, or one that has jumped on.
    void add_begun(std::size_t caller, std::optional<std::size_t> body) {
        const std::size_t callee = caller - 1;
        in_doubt_ = in_doubt_ || (!by_debugger_ && !called_it(caller, callee));
        if (!is_user(callee)) {
            const EntryPoint *const called = entry(caller, callee);
            if (called != nullptr && called->begins_region) {
                found_.push_back({caller, callee, body, std::nullopt});
            }
            if (by_debugger_) {
                add_left(caller, names_.function(gdb_num_, callee).name, std::nullopt);
            }
        } else if (by_debugger_) {
            add_called_by_user(caller, body);
        }
    }

    void add_called_by_user(std::size_t caller, std::optional<std::size_t> body) {
        const std::size_t callee = caller - 1;
        const FrameFunction function = names_.function(gdb_num_, callee);
        const bool is_inlined = code::is_inlined(frames_, callee);
        if (is_region_body(function.name)) {
            const std::uint64_t returns_to = is_inlined ? 0 : frames_[caller].pc;
            if (begins(names_.function(gdb_num_, caller).name, function.name, returns_to)) {
                found_.push_back({caller, callee, body, std::nullopt});
            }
            return;
        }
        const auto unnamed = is_inlined || function.has_line
                                 ? std::nullopt
                                 : calls_.serialized_body(frames_[caller].pc);
        if (unnamed) {
            found_.push_back({caller, callee, body, unnamed});
        } else if (!is_inlined) {
            add_left(caller, function.name, callee);
        }
    }

    // The region whose body has ended with a jump to the function that its call goes on INSIDE.
    void add_left(std::size_t caller, const std::string &inside, std::optional<std::size_t> body) {
        const auto called = calls_.targets().only_target(frames_[caller].pc);
        if (called && names_.is_left_by_jump(*called, inside)) {
            found_.push_back({caller, caller - 1, body, called});
        }
    }

    // The outlined function of a region: what was handed over to the runtime, what its entry point
    // has called or, where neither can be told, that of the frame which the runtime called. GCC
    // names tasks like regions, and in the region's barrier the runtime calls tasks of the same
    // function: then the CALL alone tells.
    [[nodiscard]] code::Value body_of(const RegionCall &one, const NamedPlace &call) {
        if (one.left) {
            return one.left;
        }
        code::Value given;
        if (!is_user(one.callee)) {  // which may hand over another one further in
            given = waits_.bodies().given(frames_.subspan(*one.caller));
            given = given || !by_debugger_ ? given : called_in(one.callee);
        }
        in_doubt_ = in_doubt_ || (!by_debugger_ && !given);
        if (given || !one.body || !by_debugger_) {
            return given;
        }
        const FrameFunction function = names_.function(gdb_num_, *one.body);
        const auto own = code::outlined(function.symbol);
        const bool is_region = own && own->is_region_body();
        return !is_region || is_in(call, *own) ? std::nullopt : code::Value(function.start);
    }

    // The user's function that a frame has called through a pointer.
    [[nodiscard]] code::Value function_called(std::size_t at) {
        const code::Value called = calls_.function_called(frames_[at]);
        return called && calls_.code().is_user(*called) ? called : std::nullopt;
    }

    // The body that the entry point in the frame CALLEE has called, or the runtime has further in.
    // One that has ended with a jump leaves no frame.
    [[nodiscard]] code::Value called_in(std::size_t callee) {
        code::Value called = function_called(callee);
        const RuntimeStack stack(calls_, frames_);
        for (std::size_t at = callee; !called && at-- > 0 && owner(at) == Owner::runtime;) {
            if (stack.has({at, at + 1, at}, {code::Role::calls_body})) {
                called = function_called(at);
            }
        }
        return called;
    }

    // Where the function of a region's BODY of clang's begins; none for others.
    [[nodiscard]] code::Value clangs_body(std::optional<std::size_t> body) {
        const FrameFunction function = body ? names_.function(gdb_num_, *body) : FrameFunction();
        const auto own = code::outlined(function.symbol);
        return own && own->is_region_body() && !own->is_gccs_body() ? code::Value(function.start)
                                                                    : std::nullopt;
    }

    WaitReader &waits_;
    code::UserCalls &calls_;
    RegionNames &names_;
    int gdb_num_;
    std::span<const Frame> frames_;
    bool by_debugger_;
    bool in_doubt_ = false;
    std::string name_inside_;  // of the last user's frame's function, empty where that is not known
    std::vector<RegionCall> found_;
};

const RegionCalls::Begun &RegionCalls::begun(int gdb_num) {
    const auto found = begun_.find(gdb_num);
    return found != begun_.end() ? found->second
                                 : begun_.emplace(gdb_num, read_begun(gdb_num)).first->second;
}

RegionCalls::Begun RegionCalls::read_begun(int gdb_num) {
    const auto places = [&](WholeStacks::Frames frames, Walk::By by) -> std::optional<Begun> {
        Walk walk(stacks_.reader(), names_, gdb_num, frames, by);
        Begun found;
        const std::vector<RegionCall> calls = walk.read();
        for (auto one = calls.rbegin(); one != calls.rend() && !walk.in_doubt(); ++one) {
            found.constructs.push_back(walk.construct(*one));
        }
        found.in_last = !calls.empty() && !calls.front().body;
        return walk.in_doubt() ? std::nullopt : std::optional(std::move(found));
    };
    auto unwound = stacks_.unwound(gdb_num, whole_frames);
    auto found = unwound.empty() ? std::nullopt : places(std::move(unwound), Walk::By::addresses);
    return found ? *std::move(found)
                 : places(stacks_.by_debugger(gdb_num), Walk::By::debugger).value_or(Begun());
}

bool RegionCalls::is_in_region(int gdb_num) {
    const auto is_in = [&](const WholeStacks::Frames &frames, Walk::By by) -> std::optional<bool> {
        Walk walk(stacks_.reader(), names_, gdb_num, frames, by);
        const bool has = std::ranges::any_of(
            walk.read(), [](const RegionCall &one) { return one.caller.has_value(); });
        return walk.in_doubt() ? std::nullopt : std::optional(has);
    };
    const auto unwound = stacks_.unwound(gdb_num, whole_frames);
    const auto found = unwound.empty() ? std::nullopt : is_in(unwound, Walk::By::addresses);
    return found ? *found : is_in(stacks_.by_debugger(gdb_num), Walk::By::debugger).value_or(false);
}

std::vector<RegionReturn> RegionCalls::returns(int gdb_num) {
    const auto frames = stacks_.by_debugger(gdb_num);
    Walk walk(stacks_.reader(), names_, gdb_num, frames, Walk::By::debugger);
    std::vector<RegionReturn> found;
    for (const RegionCall &one : walk.read()) {
        if (one.caller) {
            const std::size_t home = code::that_called(frames, *one.caller);
            found.push_back({home, frames[home].pc, walk.is_user(one.callee)});
        }
    }
    std::ranges::reverse(found);
    return found;
}

code::Value RegionCalls::body_of_worker(int gdb_num) {
    const auto frames = stacks_.of(gdb_num);
    code::UserCalls &calls = stacks_.reader().calls();
    const auto start = std::find_if(frames.rbegin(), frames.rend(), [&](const Frame &one) {
        return calls.code().owner(one.pc) == Owner::runtime;
    });
    const code::Value called =
        start == frames.rend() ? std::nullopt : calls.function_called(*start);
    return called && calls.code().is_user(*called) ? called : std::nullopt;
}

}  // namespace gdb_ompd
