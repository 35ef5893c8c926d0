// SPDX-License-Identifier: Apache-2.0
#include "code/outlined_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace gdb_ompd::code {

namespace {

constexpr auto npos = std::string_view::npos;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Of a name; what is not ASCII is a letter.
bool is_word(char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
}

bool take(std::string_view &text, std::string_view prefix) {
    const bool has = text.starts_with(prefix);
    text.remove_prefix(has ? prefix.size() : 0);
    return has;
}

bool drop(std::string_view &text, std::string_view suffix) {
    const bool has = text.ends_with(suffix);
    text.remove_suffix(has ? suffix.size() : 0);
    return has;
}

// The marks that make a function a compiler's. A WHOLE one ends with the word.
struct Mark {
    std::string_view text;
    Made made;
    bool whole = false;
};

constexpr auto marks = std::to_array<Mark>({
    {"omp_outlined", Made::body},
    {"omp_par", Made::body, true},
    {"omp_task_entry", Made::task},
    {"_omp_fn", Made::gcc},
    {"_omp_cpyfn", Made::helper},
    {"red_init", Made::helper, true},
    {"red_comb", Made::helper, true},
    {"red_fini", Made::helper, true},
});

struct Found {
    Made made;
    std::size_t end;  // of the mark
};

// The mark in NAME after the dot at a position.
std::optional<Found> mark_at(std::string_view name, std::size_t dot) {
    const std::string_view after = name.substr(dot + 1);
    for (const auto &[text, made, whole] : marks) {
        const std::size_t size = text.size();
        if (after.starts_with(text) && !(whole && after.size() > size && is_word(after[size]))) {
            return Found{made, dot + 1 + size};
        }
    }
    const bool other = after.starts_with("omp.") || after.starts_with("omp_");
    if (other && after.size() > 4 && is_word(after[4])) {
        return Found{Made::helper, dot + 6};
    }
    return std::nullopt;
}

// NAME without what GDB writes of clones, and these one behind the other.
std::pair<std::string, std::string> without_clones(std::string_view name) {
    constexpr std::string_view begins = " [clone ";
    std::string shown;
    std::string clones;
    for (auto at = name.find(begins); at != npos; at = name.find(begins)) {
        const auto end = name.find(']', at);
        if (end == npos) {
            break;
        }
        shown += name.substr(0, at);
        clones += name.substr(at + begins.size(), end - at - begins.size());
        name.remove_prefix(end + 1);
    }
    shown += name;
    return {shown, clones};
}

// NAME with the dots that GDB takes from a symbol which begins with one: it writes such a name as
// Ada's, ".omp_outlined." as "omp_outlined[]" and ".omp_outlined..2" as "omp_outlined.".
std::string with_first_dot(std::string_view name) {
    const bool is_region = drop(name, "[]") || name.ends_with('.');
    const bool is_helper = name.starts_with("omp.") && name.size() > 4 && !is_digit(name[4]);
    if ((is_region && name.starts_with("omp_")) || is_helper) {
        return "." + std::string(name);
    }
    return std::string(name);
}

// Of a symbol as a function's name GDB 10 writes the scope before it, "Grid::_ZN4Grid5relaxEv".
std::string without_scope(const std::string &name) {
    const auto symbol = name.rfind("::_Z");
    return symbol == npos ? name : name.substr(symbol + 2);
}

// Where the bracket is, in a name, that the one which it ends with closes; its end if none is.
std::size_t opening(std::string_view name, char opens, char closes) {
    int depth = 0;
    for (std::size_t at = name.size(); at-- > 0;) {
        depth += (name[at] == closes ? 1 : 0) - (name[at] == opens ? 1 : 0);
        if (depth == 0) {
            return at;
        }
    }
    return name.size();
}

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

bool take_number(std::string_view &text) {
    const auto end =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_hex) - text.begin());
    text.remove_prefix(end);
    return end > 0 && take(text, "_");
}

// The number that a text ends with, which is taken from it; 0 without one.
int drop_number(std::string_view &text) {
    const auto last = text.find_last_not_of("0123456789");
    const std::size_t begin = last == npos ? 0 : last + 1;
    int number = 0;
    std::from_chars(text.data() + begin, text.data() + text.size(), number);
    text = text.substr(0, begin);
    return number;
}

}  // namespace

std::optional<Outlined> outlined(std::string_view name) {
    if (name.find("omp") == npos && name.find("red_") == npos) {
        return std::nullopt;
    }
    const auto [own, clones] = without_clones(with_first_dot(name));
    const std::string shown(without_parameters(own));
    const std::string whole = shown + clones;
    std::optional<std::size_t> first;
    std::optional<Found> last;
    for (auto dot = whole.find('.'); dot != npos;) {
        const auto found = mark_at(whole, dot);
        if (found) {
            first = first.value_or(dot);
            last = found;
        }
        dot = whole.find('.', found ? found->end : dot + 1);
    }
    // The user's own functions have their dots, if any, in templates' arguments.
    const auto arguments = shown.rfind('>');
    if (!last || (arguments != npos && *first < arguments)) {
        return std::nullopt;
    }
    std::string_view rest = std::string_view(whole).substr(last->end);
    take(rest, ".");
    const bool is_debug = last->made == Made::body && rest.starts_with("_debug__");
    const bool is_map = last->made == Made::helper && name.find("omp_task_privates_map") != npos;
    return Outlined{is_debug ? Made::debug : last->made, without_scope(shown.substr(0, *first)),
                    is_map};
}

std::optional<TargetRegion> target_region(std::string_view name) {
    if (!name.starts_with("__omp")) {
        return std::nullopt;
    }
    std::string_view left = without_parameters(name);
    if (!take(left, target_region_prefix) || !take_number(left) || !take_number(left)) {
        return std::nullopt;
    }
    drop(left, "_debug__");
    // Of several in a line clang 17 numbers all but the first.
    int line = drop_number(left);
    if (drop(left, "_")) {
        line = drop_number(left);
    }
    const bool is_one =
        line > 0 && drop(left, "_l") && !left.empty() && std::ranges::all_of(left, is_word);
    return is_one ? std::optional(TargetRegion{std::string(left), line}) : std::nullopt;
}

std::optional<TargetRegion> target_region_of_id(std::string_view name) {
    take(name, ".");
    return drop(name, ".region_id") ? target_region(name) : std::nullopt;
}

std::optional<std::string> made_in(std::string_view name) {
    const auto found = outlined(name);
    if (found) {
        return found->function;
    }
    const auto target = target_region(name);
    return target ? std::optional(target->function) : std::nullopt;
}

bool is_wrapper_of(std::string_view caller, std::string_view callee) {
    const auto by = outlined(caller);
    const auto called = outlined(callee);
    const bool is_debug = called && called->made == Made::debug;
    if (by && by->made == Made::task) {
        return is_debug || (called && called->made == Made::body) || target_region(callee);
    }
    if (target_region(caller)) {
        return without_parameters(callee) == std::string(without_parameters(caller)) + "_debug__";
    }
    return by && by->made == Made::body && is_debug;
}

std::string demangled(const std::string &symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> found(
        symbol.starts_with("_Z") ? abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status)
                                 : nullptr,
        &std::free);
    return found == nullptr ? symbol : found.get();
}

std::string_view without_parameters(std::string_view name) {
    std::string_view listed = name;
    while (drop(listed, " const") || drop(listed, " volatile") || drop(listed, " &&") ||
           drop(listed, " &") || drop(listed, " noexcept")) {
    }
    if (!listed.ends_with(')')) {
        return name;
    }
    const std::string_view own = name.substr(0, opening(listed, '(', ')'));
    // The parentheses of "operator()" are its name, and "(anonymous namespace)".
    const bool is_name = own.empty() || own.ends_with("operator") || own.size() == listed.size();
    return is_name ? name : own;
}

std::string without_clone(std::string_view name) {
    static constexpr auto words = std::to_array<std::string_view>(
        {"constprop", "isra", "part", "cold", "lto_priv", "localalias", "llvm", "__uniq"});
    const auto [shown, clones] = without_clones(name);
    if (!clones.empty()) {
        return std::string(without_parameters(shown));
    }
    for (auto dot = name.find('.'); dot != npos; dot = name.find('.', dot + 1)) {
        const auto word = name.substr(dot + 1, name.find('.', dot + 1) - dot - 1);
        if (std::ranges::find(words, word) != words.end()) {
            return std::string(name.substr(0, dot));
        }
    }
    return std::string(name);
}

std::optional<std::string> fortran_name(std::string_view symbol) {
    constexpr std::string_view joint = "_MOD_";
    const auto joined = symbol.find(joint);
    if (symbol.starts_with("__") && joined != npos) {
        return std::string(symbol.substr(2, joined - 2)) +
               "::" + std::string(symbol.substr(joined + joint.size()));
    }
    std::string_view left = symbol;
    const auto digits = left.find_last_not_of("0123456789");
    const bool is_inner = digits != npos && digits + 1 < left.size() && left[digits] == '.';
    left = is_inner ? left.substr(0, digits) : left;
    if (!(is_inner || drop(left, "_")) || left.empty() || !std::ranges::all_of(left, is_word)) {
        return std::nullopt;
    }
    return std::string(left);
}

std::string without_template_arguments(std::string_view name) {
    std::string left;
    int depth = 0;
    for (std::size_t at = 0; at < name.size(); ++at) {
        if (depth == 0 && name.substr(at).starts_with("operator")) {
            return left + std::string(name.substr(at));  // "<" may be its name
        }
        depth += name[at] == '<' ? 1 : 0;
        if (depth == 0) {
            left += name[at];
        }
        depth -= name[at] == '>' ? 1 : 0;
    }
    return depth == 0 ? left : std::string(name);
}

std::string_view without_type(std::string_view name) {
    if (name.find("operator") != npos) {
        return name;
    }
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t at = 0; at < name.size(); ++at) {
        const char c = name[at];
        depth += (c == '<' || c == '(' ? 1 : 0) - (c == '>' || c == ')' ? 1 : 0);
        start = c == ' ' && depth == 0 ? at + 1 : start;
    }
    return name.substr(start);
}

}  // namespace gdb_ompd::code
