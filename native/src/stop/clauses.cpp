// SPDX-License-Identifier: Apache-2.0
#include "stop/clauses.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace gdb_ompd {

namespace {

bool is_blank(char sign) { return sign == ' ' || sign == '\t'; }
bool is_of_word(char sign) {
    return ('a' <= sign && sign <= 'z') || ('0' <= sign && sign <= '9') || sign == '_';
}

std::string lower(std::string_view text) {
    std::string found(text);
    std::ranges::transform(found, found.begin(), [](char sign) {
        return 'A' <= sign && sign <= 'Z' ? static_cast<char>(sign - 'A' + 'a') : sign;
    });
    return found;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

// How far it is from a parenthesis to the one that closes it, or to the end of TEXT.
std::size_t in_parentheses(std::string_view text) {
    int open = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        if (open == 0) {
            return at;
        }
    }
    return text.size();
}

// Whether what is in an if clause's parentheses names no construct but parallel.
bool is_for_parallel(std::string_view argument) {
    const auto colon = argument.find(':');
    if (colon == std::string_view::npos || argument.substr(colon).starts_with("::")) {
        return true;
    }
    const std::string_view modifier = trimmed(argument.substr(0, colon));
    return modifier == "parallel" || !std::ranges::all_of(modifier, [](char sign) {
               return is_of_word(sign) || is_blank(sign);
           });
}

std::optional<std::int64_t> number_in(std::string_view argument) {
    argument = trimmed(argument);
    std::int64_t number = 0;
    const auto [end, error] =
        std::from_chars(argument.data(), argument.data() + argument.size(), number);
    return error == std::errc() && end == argument.data() + argument.size() ? std::optional(number)
                                                                            : std::nullopt;
}

}  // namespace

SizeClauses size_clauses(std::string_view directive) {
    SizeClauses found;
    const std::string text = lower(directive);
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto length =
            static_cast<std::size_t>(std::ranges::find_if_not(rest, is_of_word) - rest.begin());
        const std::string_view word = rest.substr(0, length);
        rest.remove_prefix(std::max<std::size_t>(length, rest.front() == '(' ? 0 : 1));
        rest = length > 0 ? trimmed(rest) : rest;
        if (!rest.starts_with('(')) {
            continue;
        }
        const std::size_t end = in_parentheses(rest);
        const std::string_view argument = rest.substr(1, end - 1);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        found.has_if |= word == "if" && is_for_parallel(argument);
        if (word == "num_threads") {
            found.has_num_threads = true;
            found.threads = number_in(argument);
        }
    }
    return found;
}

}  // namespace gdb_ompd
