// SPDX-License-Identifier: Apache-2.0
#include "stop/stack_places.hpp"

#include "code/outlined_names.hpp"
#include "elf/address_space.hpp"
#include "stop/runtime_stack.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace gdb_ompd {

namespace {

// A function of the system's without a symbol.
bool is_unnamed(const ThreadWait &wait) {
    return wait.outside.empty() && wait.entry_point.empty() && !wait.in_runtime;
}

// Whether code of the system's headers calls a function only for its own ones.
bool is_internal(std::string_view function) {
    const std::size_t scope = function.rfind("::");
    return function == calls_kernel ||
           function.substr(scope == std::string_view::npos ? 0 : scope + 2).starts_with('_');
}

// What a program calls where the C++ library's own functions wait that templates are made of, and
// the classes whose members it calls by those that are made of them.
struct Wrapped {
    std::string_view inner;
    std::string_view called;
};
constexpr std::array wrapped{
    Wrapped{"std::__atomic_semaphore::_M_acquire", "std::counting_semaphore::acquire"},
    Wrapped{"std::__tree_barrier", "std::barrier::wait"}};
constexpr std::array bases{Wrapped{"std::__atomic_base::", "std::atomic::"},
                           Wrapped{"std::__basic_future::", "std::future::"}};

// The function of the C++ library's in which the lambda was written that one of its own templates
// has been given: of std::__atomic_wait_address<int, std::latch::wait() const::{lambda()#1}> it is
// std::latch::wait. Empty where there is none.
std::string_view giving_lambda(std::string_view function) {
    const std::size_t lambda = function.find("::{lambda(");
    const std::size_t end = function.substr(0, lambda).rfind('(');
    if (lambda == std::string_view::npos || end == std::string_view::npos) {
        return {};
    }
    int depth = 0;
    std::size_t begin = end;
    for (; begin > 0; --begin) {
        const char one = function[begin - 1];
        depth += one == '>' ? 1 : one == '<' ? -1 : 0;
        if (depth < 0 || (depth == 0 && one == ' ')) {
            break;
        }
    }
    const std::string_view found = function.substr(begin, end - begin);
    const auto *const known = std::ranges::find_if(
        wrapped, [&](const Wrapped &one) { return found.starts_with(one.inner); });
    const bool is_own = function.starts_with("std::_") && found.starts_with("std::");
    return !is_own ? std::string_view() : known != wrapped.end() ? known->called : found;
}

// The function that a program has called, by one of a system's header; empty where that tells none.
std::string called_by_program(std::string_view function) {
    std::string named = code::without_template_arguments(function);
    if (const std::string_view giving = giving_lambda(function); !giving.empty()) {
        named = code::without_template_arguments(giving);
    } else if (is_internal(named)) {
        return {};
    }
    for (const Wrapped &base : bases) {
        if (named.starts_with(base.inner)) {
            named.replace(0, base.inner.size(), base.called);
        }
    }
    return named;
}

}  // namespace

// What a listing names of a thread's frames.
struct StackPlaces::Named {
    std::size_t frame = 0;
    PlaceRef place;
    PlaceRef innermost;
    PlaceRef header;             // of the system's
    std::string called;          // that the user's has called, by the headers
    bool is_any_threads = true;  // every thread with that frame is there
    bool is_own = false;         // the user's own, with source
};

// The places at a program counter of a thread, innermost first. Most often the first is wanted.
class StackPlaces::Chain {
public:
    Chain(StackPlaces &all, int gdb_num, CodePoint point)
        : all_(all), gdb_num_(gdb_num), pc_(point.pc), first_(all.at(point)) {}

    [[nodiscard]] bool is_any_threads() const { return first_ != nullptr; }
    // Null behind the last.
    [[nodiscard]] PlaceRef operator[](std::size_t position) {
        if (position == 0 && first_ != nullptr) {
            return first_;
        }
        if (!is_whole_) {
            whole_ = all_.chain(gdb_num_, pc_, first_ != nullptr);
            is_whole_ = true;
        }
        return position < whole_.size() ? whole_[position] : nullptr;
    }

private:
    StackPlaces &all_;
    int gdb_num_;
    std::uint64_t pc_;
    PlaceRef first_;
    bool is_whole_ = false;
    std::vector<PlaceRef> whole_;
};

std::size_t StackPlaces::keep(StackPlace place) {
    const auto known = std::ranges::find_if(found_, [&](const StackPlace &one) {
        return one.pc == place.pc && one.wait == place.wait && one.place == place.place &&
               one.innermost == place.innermost;
    });
    const auto number = static_cast<std::size_t>(known - found_.begin());
    if (known == found_.end()) {
        found_.push_back(std::move(place));
    }
    return number;
}

PlaceRef StackPlaces::at(CodePoint point) {
    if (!known_.contains(point)) {
        known_[point] = names_.at(std::span(&point, 1)).front();
    }
    return known_[point];
}

std::vector<PlaceRef> StackPlaces::chain(int gdb_num, std::uint64_t pc, bool is_any_threads) {
    const auto known = is_any_threads ? chains_.find(pc) : chains_.end();
    if (known != chains_.end()) {
        return known->second;
    }
    std::vector<PlaceRef> places = names_.chain(gdb_num, pc);
    if (is_any_threads) {
        chains_[pc] = places;
    }
    return places;
}

std::vector<std::size_t> StackPlaces::users_in(const WaitReader::Read &read) {
    std::vector<std::size_t> users;
    for (std::size_t at = 0; at < read.addresses.size(); ++at) {
        if (waits_.calls().code().is_user(read.addresses[at])) {
            users.push_back(at);
        }
    }
    return users;
}

// All that is looked at first is asked in one call.
void StackPlaces::name_innermost(std::span<const Read> reads) {
    std::set<CodePoint> missing;
    const WaitReader::Read *last = nullptr;
    for (const Read &read : reads) {
        if (read == nullptr || read.get() == last) {
            continue;
        }
        last = read.get();
        const std::vector<std::size_t> users = users_in(*read);
        if (!users.empty()) {
            missing.insert({read->addresses[users.front()], users.front() == 0});
        }
    }
    std::erase_if(missing, [this](const CodePoint &point) { return known_.contains(point); });
    if (missing.empty()) {
        return;
    }
    const std::vector<CodePoint> points(missing.begin(), missing.end());
    const auto named = names_.at(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        known_[points[i]] = named[i];
    }
}

std::vector<std::optional<std::size_t>> StackPlaces::find(std::span<const int> gdb_nums,
                                                          std::span<const Read> reads) {
    name_innermost(reads);
    std::vector<std::optional<std::size_t>> found;
    found.reserve(gdb_nums.size());
    for (std::size_t i = 0; i < gdb_nums.size(); ++i) {
        const bool is_shared = reads[i] != nullptr && reads[i] == shared_;
        found.push_back(is_shared ? shared_place_ : place_of(gdb_nums[i], reads[i]));
    }
    return found;
}

// By what was read of a thread's frames up to the user's, else by those around them, else by the
// debugger's.
std::optional<std::size_t> StackPlaces::place_of(int gdb_num, const Read &read) {
    if (const auto found = read != nullptr ? by(gdb_num, read, false) : std::nullopt) {
        return found;
    }
    for (const bool by_debugger : {false, true}) {
        const auto around = around_(gdb_num, by_debugger);
        const auto found =
            around ? by(gdb_num, std::make_shared<const WaitReader::Read>(*around), by_debugger)
                   : std::nullopt;
        if (found && read != nullptr) {
            pass_over(*read, found_[*found]);
        }
        if (found) {
            return found;
        }
    }
    return std::nullopt;
}

// None where more of the thread's frames are to tell it, unless IS_LAST.
std::optional<std::size_t> StackPlaces::by(int gdb_num, const Read &read, bool is_last) {
    const std::vector<std::size_t> users = users_in(*read);
    Named place;
    place.frame = read->addresses.size() - 1;
    if (!users.empty() && !read->wait.frameless) {
        place = named(gdb_num, *read, users);
        if (!(place.is_own || is_last) && may_be_further_out(place, *read, users)) {
            return std::nullopt;
        }
    }
    StackPlace found{gdb_num, read->addresses[place.frame], read->wait, place.place,
                     place.innermost};
    // Where the symbols of its file do not name what is below the user's code.
    const bool is_nameless =
        is_unnamed(read->wait) && (users.empty() || (is_last && users.front() > 0));
    if (is_nameless) {
        found.wait.outside = names_.outermost_called(gdb_num);
    }
    if (is_internal(found.wait.outside) && !place.called.empty()) {
        found.wait.outside = place.called;
    } else if (place.is_own && found.wait.library.empty() && !found.wait.outside.empty()) {
        found.wait.library = place.called;
    }
    const std::size_t number = keep(std::move(found));
    if (place.is_any_threads && !is_nameless) {
        shared_ = read;
        shared_place_ = number;
    }
    return number;
}

// Of USERS' frames the innermost with source that no runtime's frame is around, or the innermost of
// all. The user's own is preferred to a header of the system's that waits for nothing of OpenMP's,
// and that the system may have called (pthread_once, qsort).
StackPlaces::Named StackPlaces::named(int gdb_num, const WaitReader::Read &read,
                                      std::span<const std::size_t> users) {
    const auto &pcs = read.addresses;
    const auto caller = std::ranges::find(pcs, read.wait.caller);
    if (!read.wait.library.empty() && caller != pcs.end()) {  // a deep stack is cut off
        const auto first = static_cast<std::size_t>(caller - pcs.begin());
        users = users.subspan(
            static_cast<std::size_t>(std::ranges::lower_bound(users, first) - users.begin()));
    }
    Named found;
    found.frame = users.front();
    PlaceRef innermost;
    const auto otherwise = [&] {
        found.place = innermost != nullptr ? innermost : found.header;
        return found;
    };
    for (const std::size_t number : users) {
        const auto between = std::span(pcs).subspan(users.front(), number - users.front());
        if (std::ranges::any_of(between, [this](std::uint64_t pc) {
                return waits_.calls().code().owner(pc) == code::Owner::runtime;
            })) {
            break;
        }
        Chain chain(*this, gdb_num, {pcs[number], number == 0});
        found.is_any_threads = found.is_any_threads && chain.is_any_threads();
        for (std::size_t at = 0; chain[at] != nullptr; ++at) {
            const PlaceRef place = chain[at];
            if (place->is_passed_over) {
                continue;
            }
            if (number > 0 && is_no_code(*place)) {
                return otherwise();
            }
            if (place->has_source &&
                (read.wait.kind != code::WaitKind::none || !place->in_system_header)) {
                found.frame = number;
                found.place = place;
                found.innermost = innermost;
                found.is_own = true;
                return found;
            }
            if (place->has_source) {
                found.header = place;
                if (std::string called = called_by_program(place->function); !called.empty()) {
                    found.called = std::move(called);
                }
            } else if (innermost == nullptr) {
                found.frame = number;
                innermost = place;
            }
        }
    }
    return otherwise();
}

// Whether frames around those of a READ stack may have a better place than what was NAMED there.
bool StackPlaces::may_be_further_out(const Named &named, const WaitReader::Read &read,
                                     std::span<const std::size_t> users) {
    if (named.place == nullptr) {
        return true;
    }
    return named.place->has_source
               ? !read.is_long
               : std::ranges::any_of(users, [&](std::size_t number) {
                     return waits_.calls().libraries().has_lines(read.addresses[number]);
                 });
}

// Whether what should have called is in no memory: the debugger goes on where a stack ends.
bool StackPlaces::is_no_code(const NamedPlace &place) {
    std::array<std::byte, 1> first{};
    return place.function.empty() && !place.is_in_file &&
           !waits_.calls().functions().space().can_read(TargetAddr{place.pc}, first);
}

// Have the unwinder go on beyond the last of what was READ from now on. It does so if what is there
// has no source, though its file knows lines, and a PLACE was found further out.
void StackPlaces::pass_over(const WaitReader::Read &read, const StackPlace &place) {
    const std::uint64_t pc = read.addresses.back();
    const PlaceRef &there = place.place;
    if (unwinder_ == nullptr || !waits_.calls().code().is_user(pc) || there == nullptr ||
        !there->has_source || there->pc == pc) {
        return;
    }
    const PlaceRef own = at({pc, read.addresses.size() == 1});
    if (own == nullptr || !own->has_source) {
        unwinder_->pass_over(pc);
    }
}

}  // namespace gdb_ompd
