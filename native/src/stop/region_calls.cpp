// SPDX-License-Identifier: Apache-2.0
#include "stop/region_calls.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::Frame;
using code::Owner;

namespace {

class Reader {
public:
    explicit Reader(code::UserCalls &calls) : calls_(calls) {}

    [[nodiscard]] Owner owner(std::uint64_t pc) const { return calls_.code().owner(pc); }

    // Whether CALLEE may be what a body has ended with a jump to. It would begin a region, or end
    // one, and its caller, which is the runtime's, called through a pointer.
    [[nodiscard]] bool may_be_jumped_to(std::uint64_t callee, std::uint64_t caller) {
        return owner(caller) == Owner::runtime && owner(callee) != Owner::user &&
               !calls_.is_direct(caller) && calls_.is_in_region_call(callee);
    }

    // Whether the call that returns to CALLER is that of the user's function around CALLEE, or
    // of what is not the user's.
    [[nodiscard]] bool called_it(std::uint64_t caller, std::uint64_t callee) const {
        const auto &targets = calls_.targets().targets(caller);
        if (owner(callee) != Owner::user) {
            return std::ranges::none_of(
                targets, [this](std::uint64_t at) { return owner(at) == Owner::user; });
        }
        return targets.size() == 1 && targets.front() == start_of(callee);
    }

    [[nodiscard]] std::uint64_t start_of(std::uint64_t pc) const {
        return calls_.functions().start_of(pc);
    }

    // Whether a function that is no known entry point begins no region for all that.
    [[nodiscard]] bool begins_none(std::uint64_t callee) const {
        if (owner(callee) == Owner::runtime) {
            return false;
        }
        const auto function = calls_.functions().symbol_at(callee);
        const auto *const entry = function ? code::entry_point(function->symbol.name) : nullptr;
        return entry == nullptr || !entry->begins_region;
    }

private:
    code::UserCalls &calls_;
};

}  // namespace

std::optional<RegionCalls>
region_calls(code::UserCalls &calls, std::span<const Frame> frames,
             const std::function<code::Value(std::span<const Frame>)> &body_given) {
    Reader reader(calls);
    RegionCalls found;
    for (std::size_t at = 0; at < frames.size(); ++at) {
        const std::uint64_t pc = frames[at].pc;
        const Frame *const callee = at > 0 ? &frames[at - 1] : nullptr;
        if (reader.owner(pc) != Owner::user) {
            if (callee != nullptr && reader.may_be_jumped_to(callee->pc, pc)) {
                return std::nullopt;
            }
            continue;
        }
        if (callee != nullptr && !reader.called_it(pc, callee->pc)) {
            return std::nullopt;
        }
        if (callee != nullptr && reader.owner(callee->pc) == Owner::user) {
            found.users.back().called_by_user = true;
        } else if (callee != nullptr) {
            const auto called = calls.of_call(pc);
            if (called ? !called->through.empty() || called->lost
                       : !reader.begins_none(callee->pc)) {
                return std::nullopt;
            }
            if (called && called->entry != nullptr && called->entry->begins_region) {
                const auto body = body_given(frames.subspan(at));
                if (!body) {
                    return std::nullopt;
                }
                found.in_last = found.calls.empty() ? found.users.empty() : found.in_last;
                found.calls.push_back({pc, *body});
            }
        }
        found.users.push_back({pc, reader.start_of(at > 0 ? pc - 1 : pc), false});
    }
    std::ranges::reverse(found.calls);
    return found;
}

}  // namespace gdb_ompd
