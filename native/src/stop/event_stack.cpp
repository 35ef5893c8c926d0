// SPDX-License-Identifier: Apache-2.0
#include "stop/event_stack.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::is_of_gcc;
using code::Role;
using code::role_of;

namespace {

// Whether what one of the runtime's functions called was a construct's body, where the stack shows
// CALLEE: an entry point that none of the runtime's functions calls.
bool calls_body(const std::string &function, const std::string &callee) {
    const Role role = role_of(function);
    return role == Role::calls_body || role == Role::wraps_body || role == Role::executes_task ||
           (is_of_gcc(function) && is_of_gcc(callee) && role_of(callee) != Role::ends_region);
}

}  // namespace

const std::string *EventPath::outermost() const {
    const bool is_entry =
        !way_->functions.empty() && (has_user_ || code::is_entry_name(way_->functions.back()));
    return is_entry ? &way_->functions.back() : nullptr;
}

std::string EventPath::entry() const {
    const std::string *const found = outermost();
    return found == nullptr ? std::string() : *found;
}

bool EventPath::begins_league() const {
    const std::string *const found = outermost();
    return found != nullptr && role_of(*found) == Role::begins_league;
}

bool EventPath::is_entry_points_own() const {
    return way_->functions.empty() || is_of_gcc(way_->functions.front());
}

bool EventPath::links_serialized() const {
    return !way_->functions.empty() && role_of(way_->functions.front()) == Role::links_serialized;
}

bool EventPath::is_team_of_league(bool begins) const {
    if (way_->body) {
        return false;
    }
    if (!has_user_ && outermost() == nullptr) {
        return true;
    }
    const auto forks = std::ranges::count_if(
        way_->functions, [](const std::string &one) { return role_of(one) == Role::forks; });
    return begins_league() && forks > (begins ? 1 : 0);
}

std::optional<std::size_t> EventPath::caller_of_gcc() const {
    const std::size_t caller = way_->body.value_or(own());
    return caller > 0 && !is_of_gcc(way_->functions[caller - 1]) ? std::nullopt
                                                                 : std::optional(caller);
}

EventPath EventWays::at(std::uint64_t pc, std::uint64_t sp, std::uint64_t bp, const Ask &ask) {
    std::optional<std::vector<EventFrame>> frames;
    auto pcs = unwinder_ == nullptr ? std::nullopt : unwinder_->callers(pc, sp, bp);
    if (!pcs) {
        frames = ask();
        pcs.emplace();
        std::ranges::transform(*frames, std::back_inserter(*pcs), &EventFrame::pc);
    }
    const bool ends_in_user = !pcs->empty() && is_user(pcs->back());
    const std::vector<std::uint64_t> inner(pcs->begin(), pcs->end() - (ends_in_user ? 1 : 0));
    std::shared_ptr<const EventWay> &known = ways_[inner];
    if (known == nullptr) {
        frames = frames ? std::move(frames) : ask();
        const std::size_t users = ends_in_user && !frames->empty() ? 1 : 0;
        known =
            std::make_shared<const EventWay>(way(std::span(*frames).first(frames->size() - users)));
    }
    return {known, *std::move(pcs), ends_in_user};
}

EventWay EventWays::way(std::span<const EventFrame> frames) const {
    EventWay found;
    for (const EventFrame &frame : frames) {
        if (reader_.calls().code().owner(frame.pc) != code::Owner::runtime) {
            found.is_below_system = true;
            break;
        }
        found.functions.emplace_back(code::own_name(frame.name));
    }
    for (std::size_t at = 1; at < found.functions.size() && !found.body; ++at) {
        if (calls_body(found.functions[at], found.functions[at - 1])) {
            found.body = at;
        }
    }
    return found;
}

std::vector<std::string> EventWays::saved_registers() const {
    std::vector<std::string> found;
    if (const auto *const architecture = reader_.calls().functions().architecture()) {
        const code::CallingConvention convention = architecture->convention();
        for (const code::NamedRegister &one : convention.preserved) {
            if (one.number != convention.stack_pointer) {
                found.emplace_back(one.name);
            }
        }
    }
    return found;
}

bool EventWays::counts_end(int thread, bool is_own, std::uint64_t sp, std::uint64_t pc) {
    const std::pair call(sp, pc);
    const auto known = ended_.find(thread);
    const bool is_known = known != ended_.end() && known->second == call;
    if (known != ended_.end()) {
        ended_.erase(known);
    }
    if (!is_own) {
        ended_[thread] = call;
    }
    return !is_known;
}

}  // namespace gdb_ompd
