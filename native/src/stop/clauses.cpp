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

// What an if clause's parentheses hold if that is for the parallel construct, without its name.
std::optional<std::string_view> condition_in(std::string_view argument) {
    const auto colon = argument.find(':');
    if (colon == std::string_view::npos || argument.substr(colon).starts_with("::")) {
        return argument;
    }
    const std::string modifier = lower(trimmed(argument.substr(0, colon)));
    if (modifier == "parallel") {
        return argument.substr(colon + 1);
    }
    const bool is_other =
        std::ranges::all_of(modifier, [](char sign) { return is_of_word(sign) || is_blank(sign); });
    return is_other ? std::nullopt : std::optional(argument);
}

std::optional<std::int64_t> number_in(std::string_view argument) {
    argument = trimmed(argument);
    std::int64_t number = 0;
    const auto [end, error] =
        std::from_chars(argument.data(), argument.data() + argument.size(), number);
    return error == std::errc() && end == argument.data() + argument.size() ? std::optional(number)
                                                                            : std::nullopt;
}

// Calls WITH on each word of a directive, in small letters, that has parentheses, and on what is
// in them.
template <class Do> void each_clause(std::string_view rest, Do with) {
    while (!rest.empty()) {
        const auto is_word = [](char sign) { return is_of_word(lower({&sign, 1}).front()); };
        const auto length =
            static_cast<std::size_t>(std::ranges::find_if_not(rest, is_word) - rest.begin());
        const std::string word = lower(rest.substr(0, length));
        rest.remove_prefix(std::max<std::size_t>(length, rest.front() == '(' ? 0 : 1));
        rest = length > 0 ? trimmed(rest) : rest;
        if (!rest.starts_with('(')) {
            continue;
        }
        const std::size_t end = in_parentheses(rest);
        with(word, rest.substr(1, end - 1));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

}  // namespace

SizeClauses size_clauses(std::string_view directive) {
    SizeClauses found;
    each_clause(directive, [&](const std::string &word, std::string_view argument) {
        found.has_if |= word == "if" && condition_in(argument);
        if (word == "num_threads") {
            found.has_num_threads = true;
            found.threads = number_in(argument);
        }
    });
    return found;
}

SizeArguments size_arguments(std::string_view directive) {
    SizeArguments found;
    each_clause(directive, [&](const std::string &word, std::string_view argument) {
        if (word == "num_threads") {
            found.threads = argument;
        } else if (const auto own = word == "if" ? condition_in(argument) : std::nullopt) {
            found.condition = *own;
        }
    });
    return found;
}

}  // namespace gdb_ompd
