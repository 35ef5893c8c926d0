// SPDX-License-Identifier: Apache-2.0
#include "stop/called_bodies.hpp"

#include <algorithm>
#include <unordered_set>

namespace gdb_ompd {

using code::Frame;
using code::Owner;

void CalledBodies::add(const Module &runtime, bool has_microtask, bool calls_itself) {
    for (const Segment &segment : runtime.elf->headers().segments) {
        const std::uint64_t start = runtime.bias + segment.address;
        runtimes_.push_back({start, start + segment.size, has_microtask, calls_itself});
    }
}

const CalledBodies::RuntimeCode *CalledBodies::runtime_at(std::uint64_t pc) const {
    const auto found = std::ranges::find_if(
        runtimes_, [pc](const RuntimeCode &one) { return one.begin <= pc && pc < one.end; });
    return found == runtimes_.end() ? nullptr : &*found;
}

bool CalledBodies::has_microtask(std::uint64_t pc) const {
    const RuntimeCode *const code = runtime_at(pc);
    return code != nullptr && code->has_microtask;
}

bool CalledBodies::calls_itself(std::uint64_t pc) const {
    const RuntimeCode *const code = runtime_at(pc);
    return code != nullptr && code->calls_itself;
}

code::Value CalledBodies::given(std::span<const Frame> users) {
    users = users.subspan(code::that_called(users, 0));
    users = users.first(std::min(users.size(), kept_callers + 1));
    const auto called = users.empty() ? std::nullopt : calls_.of_call(users.front().pc);
    return called && called->entry != nullptr && called->entry->body >= 0
               ? arguments_.argument(static_cast<std::size_t>(called->entry->body), *called, users)
               : std::nullopt;
}

const Frame *CalledBodies::outermost_of_runtime(std::span<const Frame> below) const {
    const auto found = std::find_if(below.rbegin(), below.rend(), [this](const Frame &one) {
        return code_.owner(one.pc) == Owner::runtime;
    });
    return found == below.rend() ? nullptr : &*found;
}

// Functions for GCC's code call the body themselves, by their only call through a pointer.
bool CalledBodies::are_before_given(std::span<const Frame> below) {
    const Frame *const outermost = outermost_of_runtime(below);
    const code::FunctionCode *const function =
        outermost == nullptr ? nullptr : calls_.functions().function(outermost->pc);
    if (function == nullptr) {
        return false;
    }
    const auto &instructions = function->instructions();
    const auto call = std::find_if(instructions.begin(), instructions.end(), [](const auto &one) {
        return one.is_call() && one.target == 0;
    });
    return call != instructions.end() && outermost->pc <= call->address;
}

// GCC's threads call bodies through a pointer in the function that they start in, and directly
// what waits before and behind them. LLVM's records tell the same better.
bool CalledBodies::are_before_next(std::span<const Frame> below) {
    const Frame *const outermost = outermost_of_runtime(below);
    if (outermost == nullptr || has_microtask(outermost->pc)) {
        return false;
    }
    const code::FunctionCode *const code = calls_.functions().code_from(outermost->pc);
    if (code == nullptr || code->instructions().empty()) {
        return false;
    }
    std::vector<std::size_t> waiting{0};
    std::unordered_set<std::size_t> known{0};
    while (!waiting.empty()) {
        const std::size_t at = waiting.back();
        waiting.pop_back();
        if (code->at(at).is_call()) {
            if (code->at(at).target == 0) {
                return true;
            }
            continue;
        }
        for (const std::size_t next : code->successors(at)) {
            if (known.insert(next).second) {
                waiting.push_back(next);
            }
        }
    }
    return false;
}

bool CalledBodies::is_users(std::uint64_t pc) const {
    if (!code_.is_user(pc)) {
        return false;
    }
    if (const auto function = calls_.functions().symbol_at(pc)) {
        return !code::starts_stack(function->symbol.name);
    }
    const auto around = calls_.functions().around(pc);
    return !around || !around->is_entry;
}

// GCC's name tells it or, without one, the call.
std::uint64_t CalledBodies::function_of(const Frame &body, const Frame &caller) {
    const std::uint64_t start = calls_.functions().start_of(body.pc);
    const auto function = calls_.functions().symbol_at(body.pc);
    const bool is_called = function ? code::is_gccs_body(function->symbol.name)
                                    : calls_.function_called(caller) == start;
    return is_called ? start : 0;
}

std::vector<CalledBody> CalledBodies::called(std::span<const Frame> frames) {
    std::vector<CalledBody> found;
    const Frame *body = nullptr;
    bool calls = false;  // whether the inner frame is the runtime's that called the last one found
    for (std::size_t at = 0; at < frames.size(); ++at) {
        const Frame &frame = frames[at];
        if (code_.is_user(frame.pc)) {
            if (const auto start = calls ? given(frames.subspan(at)) : std::nullopt) {
                found.back().function = *start;
            }
            body = &frame;
            calls = false;
            continue;
        }
        calls = body != nullptr ||
                (at > 0 && frames[at - 1].is_called && code_.owner(frame.pc) == Owner::runtime &&
                 !calls_.is_direct(frame.pc));
        if (calls) {
            found.push_back(
                {body == nullptr ? 0 : function_of(*body, frame), calls_.around(frame.pc)});
        }
        body = nullptr;
    }
    return found;
}

bool CalledBodies::is_inside(std::uint64_t pc) {
    return is_users(pc) && calls_.functions().start_of(pc) != 0;
}

}  // namespace gdb_ompd
