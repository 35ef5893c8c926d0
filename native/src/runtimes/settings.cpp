// SPDX-License-Identifier: Apache-2.0
#include "runtimes/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

namespace gdb_ompd {

namespace {

enum class Values : std::uint8_t {
    numbers,
    number,
    truth,
    binding,
    policy,
    places,
    schedule,
    size
};

struct Setting {
    std::string_view variable;
    std::string_view icv;
    Values values;
    std::int64_t lowest = 0;
};

constexpr std::array settings{
    Setting{"OMP_NUM_THREADS", "nthreads-var", Values::numbers},
    Setting{"OMP_THREAD_LIMIT", "thread-limit-var", Values::number, 1},
    Setting{"OMP_MAX_ACTIVE_LEVELS", "max-active-levels-var", Values::number, 0},
    Setting{"OMP_DYNAMIC", "dyn-var", Values::truth},
    Setting{"OMP_NESTED", "max-active-levels-var", Values::truth},
    Setting{"OMP_CANCELLATION", "cancel-var", Values::truth},
    Setting{"OMP_PROC_BIND", "bind-var", Values::binding},
    Setting{"OMP_WAIT_POLICY", "", Values::policy},
    Setting{"OMP_PLACES", "place-partition-var", Values::places},
    Setting{"OMP_SCHEDULE", "run-sched-var", Values::schedule},
    Setting{"OMP_STACKSIZE", "stacksize-var", Values::size},
};

// Runtimes take more words than the specification has.
constexpr std::array trues{"true", "1", "yes", "on", "t", ".true.", ".t.", "enabled"};
constexpr std::array falses{"false", "0", "no", "off", "f", ".false.", ".f.", "disabled"};
constexpr std::array bindings{"master", "primary", "close", "spread", "disable", "none"};
constexpr std::array policies{"active", "passive"};
constexpr std::array modifiers{"monotonic", "nonmonotonic"};
constexpr std::array kinds{"static",  "dynamic",       "guided",
                           "auto",    "trapezoidal",   "static_steal",
                           "runtime", "static_greedy", "static_balanced"};
// Of hardware: runtimes take the plural alone where they do not have another word.
constexpr std::array hardware{"threads",   "cores",     "sockets",      "ll_caches",  "l1_caches",
                              "l2_caches", "l3_caches", "tiles",        "dice",       "modules",
                              "packages",  "dies",      "numa_domains", "proc_groups"};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\n\r\f\v";
    const auto first = text.find_first_not_of(blanks);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::int64_t> number_of(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && !text.empty()
               ? std::optional(number)
               : std::nullopt;
}

template <class Words> bool is_one_of(std::string_view word, const Words &words) {
    std::string lower(trimmed(word));
    std::ranges::transform(lower, lower.begin(), [](char sign) {
        return 'A' <= sign && sign <= 'Z' ? static_cast<char>(sign - 'A' + 'a') : sign;
    });
    return std::ranges::find(words, lower) != words.end();
}

bool is_truth(std::string_view text) { return is_true(text) || is_one_of(text, falses); }

bool is_list_of_bindings(std::string_view text) {
    for (;;) {
        const auto comma = text.find(',');
        const std::string_view word = text.substr(0, comma);
        if (!is_truth(word) && !is_one_of(word, bindings)) {
            return false;
        }
        if (comma == std::string_view::npos) {
            return true;
        }
        text.remove_prefix(comma + 1);
    }
}

bool is_digit(char sign) { return '0' <= sign && sign <= '9'; }

// A word, or a list of places by their CPUs: of that only what every runtime's grammar has is
// asked.
bool are_places(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) {
        return false;
    }
    if (text.find_first_of("{0123456789!") != 0) {
        const auto count = text.find('(');
        const std::string_view word = text.substr(0, std::min(count, text.find(':')));
        return is_one_of(word, hardware) && (count == std::string_view::npos || text.back() == ')');
    }
    bool is_inside = false;
    for (const char sign : text) {
        if (sign == (is_inside ? '{' : '}')) {
            return false;
        }
        is_inside = sign == '{' || (is_inside && sign != '}');
        if (!is_digit(sign) &&
            std::string_view("{}:,!-+ \t").find(sign) == std::string_view::npos) {
            return false;
        }
    }
    return !is_inside;
}

// Runtimes differ in what they take for a chunk, but each wants a number.
bool is_schedule(std::string_view text) {
    const auto colon = text.find(':');
    if (colon != std::string_view::npos && !is_one_of(text.substr(0, colon), modifiers)) {
        return false;
    }
    text.remove_prefix(colon == std::string_view::npos ? 0 : colon + 1);
    const auto comma = text.find(',');
    const auto chunk =
        comma == std::string_view::npos ? std::string_view("1") : trimmed(text.substr(comma + 1));
    return is_one_of(text.substr(0, comma), kinds) && !chunk.empty() &&
           (is_digit(chunk.front()) || chunk.front() == '-' || chunk.front() == '+');
}

// Such as "8M": some take "8MB", too.
bool is_size(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    const auto unit = text.find_first_not_of("0123456789");
    constexpr std::string_view units = "bkmgtBKMGT";
    const std::string_view rest =
        unit == std::string_view::npos ? std::string_view() : trimmed(text.substr(unit));
    return !text.empty() && unit != 0 &&
           (rest.empty() || units.find(rest.front()) != std::string_view::npos);
}

const Setting *setting(std::string_view variable) {
    const auto *const found = std::ranges::find(settings, variable, &Setting::variable);
    return found == settings.end() ? nullptr : found;
}

}  // namespace

std::optional<std::vector<std::int64_t>> numbers_of(std::string_view text) {
    std::vector<std::int64_t> found;
    for (;;) {
        const auto comma = text.find(',');
        const auto number = number_of(text.substr(0, comma));
        if (!number || *number < 1) {
            return std::nullopt;
        }
        found.push_back(*number);
        if (comma == std::string_view::npos || trimmed(text.substr(comma + 1)).empty()) {
            return found;  // libomp takes a comma at the end, GCC's runtime does not
        }
        text.remove_prefix(comma + 1);
    }
}

bool is_rejected(std::string_view variable, std::string_view value) {
    const Setting *const known = setting(variable);
    if (known == nullptr) {
        return false;
    }
    switch (known->values) {
    case Values::numbers:
        return !numbers_of(value);
    case Values::number: {
        const auto number = number_of(value);
        return !number || *number < known->lowest;
    }
    case Values::truth:
        return !is_truth(value);
    case Values::binding:
        return !is_list_of_bindings(value);
    case Values::policy:
        return !is_one_of(value, policies);
    case Values::places:
        return !are_places(value);
    case Values::schedule:
        return !is_schedule(value);
    case Values::size:
        return !is_size(value);
    }
    return false;
}

bool is_true(std::string_view value) { return is_one_of(value, trues); }

bool is_doubtful(std::string_view variable, std::string_view value) {
    const Setting *const known = setting(variable);
    if (known == nullptr || known->values != Values::numbers) {
        return false;
    }
    // A comma at the end, and numbers that an int cannot hold.
    const auto list = numbers_of(value);
    return trimmed(value).ends_with(',') ||
           (list && std::ranges::any_of(*list, [](std::int64_t number) {
                return number > std::numeric_limits<std::int32_t>::max();
            }));
}

std::string_view icv_of(std::string_view variable) {
    const Setting *const known = setting(variable);
    return known == nullptr ? std::string_view() : known->icv;
}

std::optional<std::int64_t> most_threads(std::string_view variable, std::string_view value) {
    constexpr std::array limits{"KMP_DEVICE_THREAD_LIMIT", "KMP_ALL_THREADS", "KMP_MAX_THREADS"};
    if (variable == "KMP_LIBRARY") {
        return is_one_of(value, std::array{"serial"}) ? std::optional<std::int64_t>(1)
                                                      : std::nullopt;
    }
    return std::ranges::find(limits, variable) == limits.end() ? std::nullopt : number_of(value);
}

AboutCpus about_cpus(std::string_view variable, std::string_view value) {
    constexpr std::array binding{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                 "KMP_AFFINITY"};
    constexpr std::array waiting{std::pair("OMP_WAIT_POLICY", "active"),
                                 std::pair("KMP_BLOCKTIME", "infinite"),
                                 std::pair("GOMP_SPINCOUNT", "infinite")};
    if (std::ranges::find(binding, variable) != binding.end()) {
        return AboutCpus::binds;
    }
    for (const auto &[name, spinning] : waiting) {
        if (name == variable) {
            return is_one_of(value, std::array{spinning}) ? AboutCpus::keeps_spinning
                                                          : AboutCpus::waiting;
        }
    }
    return AboutCpus::nothing;
}

}  // namespace gdb_ompd
