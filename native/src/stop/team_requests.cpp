// SPDX-License-Identifier: Apache-2.0
#include "stop/team_requests.hpp"

#include "code/given_functions.hpp"
#include "code/linked_names.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::EntryPoint;
using code::Evaluation;
using code::Frame;
using code::FunctionCode;
using code::Site;

namespace {

// The calls that lead to one that begins a region, and say how many threads it is to have.
struct Asking {
    std::vector<std::size_t> calls;  // each on other ways
    bool is_without = false;         // a way has none
};

class RequestReader {
public:
    explicit RequestReader(WaitReader &waits) : waits_(waits), calls_(waits.calls()) {}

    // What the functions of the first of FRAMES and its callees have begun. The function that
    // begins at CALLEE has the next inner frame, 0 where that is not known; none for the innermost
    // one.
    void read(std::span<const Frame> frames, code::Value callee);

    [[nodiscard]] std::vector<TeamRequest> found() && { return std::move(found_); }
    // Of the function that begins at GIVER, and has left no frame.
    [[nodiscard]] std::optional<TeamRequest> jumped(std::uint64_t giver, std::uint64_t body);
    // The same where its only jump to another function has begun the region.
    [[nodiscard]] std::optional<TeamRequest> jumped(std::uint64_t giver);

private:
    [[nodiscard]] std::size_t serialized(const Frame &frame, bool is_innermost);
    [[nodiscard]] TeamRequest of_call(const code::Called &called, std::span<const Frame> frames);
    [[nodiscard]] TeamRequest passed(const code::Called &called, std::span<const Frame> frames);
    [[nodiscard]] Asking asking(const Site &site);
    [[nodiscard]] const EntryPoint *jumped_to(const FunctionCode &code, std::size_t index);
    [[nodiscard]] std::optional<TeamRequest> of_jump(std::uint64_t giver, const Site &site);
    // What the code alone tells of an argument of the call at a site.
    [[nodiscard]] code::Value constant(const Site &site, std::size_t argument);

    WaitReader &waits_;
    code::UserCalls &calls_;
    code::CallArguments arguments_{calls_};
    std::vector<TeamRequest> found_;
};

void RequestReader::read(std::span<const Frame> frames, code::Value callee) {
    const bool is_innermost = !callee;
    for (std::size_t count = serialized(frames.front(), is_innermost); count > 0; --count) {
        found_.push_back({.caller = frames.front().pc, .is_serialized = true});
    }
    const auto called = is_innermost ? std::nullopt : calls_.of_call(frames.front().pc);
    const bool is_its_call =
        called && std::ranges::find(called->through, callee) == called->through.end();
    if (is_its_call && called->entry != nullptr && called->entry->begins_region) {
        found_.push_back(of_call(*called, frames));
        found_.back().caller = frames.front().pc;
        found_.back().body = waits_.bodies().given(frames);
    }
}

// How many regions that the function executes by itself lie around the place of its frame: those
// that begin before it in the code and end behind it.
std::size_t RequestReader::serialized(const Frame &frame, bool is_innermost) {
    const FunctionCode *const code = calls_.functions().function(frame.pc - (is_innermost ? 0 : 1));
    if (code == nullptr) {
        return 0;
    }
    std::size_t ended = 0;
    std::size_t around = 0;
    const auto &all = code->instructions();
    const auto here =
        std::ranges::lower_bound(all, frame.pc, {}, [](const auto &one) { return one.address; });
    for (auto at = here; at != all.begin();) {
        --at;
        const EntryPoint *const entry = at->is_call() ? calls_.bound_or_not(*at) : nullptr;
        if (entry == nullptr) {
            continue;
        }
        if (entry->role == code::Role::ends_serialized) {
            ++ended;
        } else if (entry->role == code::Role::begins_serialized) {
            ended > 0 ? --ended : ++around;
        }
    }
    return around;
}

TeamRequest RequestReader::of_call(const code::Called &called, std::span<const Frame> frames) {
    if (called.entry->threads >= 0) {
        return passed(called, frames);
    }
    const auto sites = arguments_.sites(called, frames.data());
    if (sites.size() != 1) {
        return {.is_asked = true, .may_be_unasked = true};
    }
    const Site &site = sites.front();
    const auto [asking_calls, is_without] = asking(site);
    TeamRequest found{.is_asked = !asking_calls.empty(),
                      .may_be_unasked = !asking_calls.empty() && is_without};
    if (asking_calls.size() == 1) {
        const std::size_t asked = asking_calls.front();
        const auto number =
            static_cast<std::size_t>(calls_.bound_or_not(site.code->at(asked))->threads);
        found.threads = constant({site.code, asked}, number);
        if (!found.threads && called.through.empty()) {
            found.threads = calls_.in_frame(*site.code, site.index, frames.front())
                                .argument(asked, number)
                                .value;
        }
    }
    return found;
}

// As an argument of the call that begins the region.
TeamRequest RequestReader::passed(const code::Called &called, std::span<const Frame> frames) {
    const auto number = static_cast<std::size_t>(called.entry->threads);
    TeamRequest found{.may_be_if = true};
    const auto sites = arguments_.sites(called, frames.data());
    if (sites.size() == 1) {
        const auto &[code, index] = sites.front();
        found.threads = constant(sites.front(), number);
        found.origin = code::origin_of_argument(calls_.functions().values(*code), index, number);
    }
    if (!found.threads) {
        found.threads = arguments_.argument(number, called, frames);
    }
    if (found.threads) {
        found.threads = static_cast<std::uint32_t>(*found.threads);
    }
    found.is_asked = found.threads != 0;
    return found;
}

// Compilers let the ways of several constructs meet at one call.
Asking RequestReader::asking(const Site &site) {
    Asking found;
    std::vector<bool> is_seen(site.code->instructions().size());
    for (std::vector<std::size_t> ways{site.index}; !ways.empty();) {
        const std::size_t at = ways.back();
        ways.pop_back();
        const auto jumps = site.code->jumps_to(at);
        std::vector<std::size_t> before(jumps.begin(), jumps.end());
        if (at > 0 && !site.code->at(at - 1).ends_flow()) {
            before.push_back(at - 1);
        }
        found.is_without |= before.empty();
        for (const std::size_t one : before) {
            if (is_seen[one]) {
                continue;
            }
            is_seen[one] = true;
            const auto &code = site.code->at(one);
            const EntryPoint *const entry = code.is_call() ? calls_.bound_or_not(code) : nullptr;
            if (entry != nullptr && entry->asks_for_threads()) {
                found.calls.push_back(one);
            } else if (entry != nullptr &&
                       (entry->begins_region || entry->role == code::Role::ends_serialized)) {
                found.is_without = true;
            } else {
                ways.push_back(one);
            }
        }
    }
    return found;
}

code::Value RequestReader::constant(const Site &site, std::size_t argument) {
    const auto nothing = [](auto...) { return code::Former(); };
    Evaluation values(
        calls_.functions().values(*site.code),
        {std::nullopt, [](code::Register) { return code::Value(); }, nothing, nothing});
    return values.argument(site.index, argument).value;
}

std::optional<TeamRequest> RequestReader::jumped(std::uint64_t giver, std::uint64_t body) {
    const FunctionCode *const code = calls_.functions().function_at_start(giver);
    if (code == nullptr) {
        return std::nullopt;
    }
    std::vector<std::size_t> jumps;
    for (const std::size_t index : code->leaving()) {
        const EntryPoint *const entry = jumped_to(*code, index);
        if (entry != nullptr && entry->begins_region && entry->body >= 0 &&
            constant({code, index}, static_cast<std::size_t>(entry->body)) == body) {
            jumps.push_back(index);
        }
    }
    return jumps.size() == 1 ? of_jump(giver, {code, jumps.front()}) : std::nullopt;
}

std::optional<TeamRequest> RequestReader::jumped(std::uint64_t giver) {
    const FunctionCode *const code = calls_.functions().function_at_start(giver);
    return code != nullptr && code->leaving().size() == 1
               ? of_jump(giver, {code, code->leaving().front()})
               : std::nullopt;
}

const EntryPoint *RequestReader::jumped_to(const FunctionCode &code, std::size_t index) {
    const auto target = calls_.targets().destination(code.at(index));
    return target ? calls_.entry_at(*target) : nullptr;
}

std::optional<TeamRequest> RequestReader::of_jump(std::uint64_t giver, const Site &site) {
    const EntryPoint *const entry = jumped_to(*site.code, site.index);
    if (entry == nullptr || !entry->begins_region || entry->body < 0) {
        return std::nullopt;
    }
    TeamRequest found = of_call({.entry = entry, .outside = {}, .through = {giver}}, {});
    found.caller = site.code->at(site.index).address;
    found.body = constant(site, static_cast<std::size_t>(entry->body));
    return found;
}

}  // namespace

std::vector<TeamRequest> team_requests(WaitReader &waits, std::span<const Frame> frames) {
    RequestReader reader(waits);
    for (std::size_t at = frames.size(); at > 0; --at) {
        const Frame &frame = frames[at - 1];
        if (frame.is_called && waits.calls().code().owner(frame.pc) == code::Owner::user) {
            const code::Value callee =
                at == 1 ? code::Value() : waits.calls().functions().start_of(frames[at - 2].pc);
            reader.read(frames.subspan(at - 1), callee);
        }
    }
    return std::move(reader).found();
}

std::optional<TeamRequest> request_by_jump(WaitReader &waits, std::uint64_t body) {
    const auto giver = code::only_giver_of(waits.calls().functions(), body);
    return giver ? RequestReader(waits).jumped(*giver, body) : std::nullopt;
}

std::optional<TeamRequest> request_by_last_jump(WaitReader &waits, std::uint64_t giver) {
    return RequestReader(waits).jumped(giver);
}

std::optional<std::uint64_t> league_body(WaitReader &waits, std::span<const Frame> frames) {
    for (; !frames.empty(); frames = frames.subspan(1)) {
        const auto called =
            frames.front().is_called ? waits.calls().of_call(frames.front().pc) : std::nullopt;
        if (called && called->entry != nullptr &&
            called->entry->role == code::Role::begins_league) {
            return waits.bodies().given(frames);
        }
    }
    return std::nullopt;
}

bool begins_regions(code::FunctionReader &functions, const Module &module) {
    const auto begins = [](std::string_view name) {
        const EntryPoint *const entry = code::entry_point(name);
        return entry != nullptr &&
               (entry->begins_region || entry->role == code::Role::begins_serialized);
    };
    code::LinkedNames linked(functions);
    return std::ranges::any_of(linked.in(module),
                               [&](const auto &place) { return begins(place.second); }) ||
           std::ranges::any_of(code::entry_points(), [&](const EntryPoint &entry) {
               return begins(entry.name) && module.elf->symbol(entry.name);
           });
}

}  // namespace gdb_ompd
