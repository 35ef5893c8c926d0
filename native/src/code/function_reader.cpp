// SPDX-License-Identifier: Apache-2.0
#include "code/function_code.hpp"

#include "code/outlined_names.hpp"

#include "base/byte_order.hpp"
#include "code/function_values.hpp"
#include "code/jump_tables.hpp"
#include "elf/address_space.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <elf.h>

namespace gdb_ompd::code {

namespace {

// A function that is longer is not taken apart: it would show in the time of an answer.
constexpr std::uint64_t longest_function = 32768;
constexpr std::uint64_t looked_ahead = 256;  // bytes

// What programs call that is all in headers, by what that calls of the library.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> of_headers{
    {{"std::__atomic_futex_unsigned_base::_M_futex_wait_until", "std::future::wait"},
     {"std::__atomic_futex_unsigned_base::_M_futex_wait_until_steady", "std::future::wait_for"}}};

// A function of C++ as its users call it, "std::thread::join", without parameters and what a
// template's instance is made of and returns; none for a name of another language.
std::optional<std::string> cpp_name(const std::string &mangled) {
    const std::string text = demangled(mangled);
    if (text == mangled) {
        return std::nullopt;
    }
    const auto named = [](const std::string &own) {
        const auto *const known = std::ranges::find(
            of_headers, own, &std::pair<std::string_view, std::string_view>::first);
        return known == of_headers.end() ? without_template_arguments(own)
                                         : std::string(known->second);
    };
    constexpr std::string_view unnamed = "(anonymous namespace)";
    const bool is_operator = text.find("operator") != std::string_view::npos;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
        if (std::string_view(text).substr(i).starts_with(unnamed)) {
            i += unnamed.size() - 1;
        } else if (depth == 0 && text[i] == ' ' && !is_operator) {
            begin = i + 1;
        } else if (depth == 0 && text[i] == '(') {
            return named(text.substr(begin, i - begin));
        }
    }
    return text;
}

// Of a mangled name such as "_ZL7nothingi" the function's own, "nothing"; others are what they are.
std::string_view identifier_of(std::string_view symbol) {
    if (!symbol.starts_with("_Z")) {
        return symbol;
    }
    const std::size_t digits = std::min(symbol.find_first_of("0123456789"), symbol.size());
    std::size_t length = 0;
    const char *const end = symbol.data() + symbol.size();
    const char *const begin = std::from_chars(symbol.data() + digits, end, length).ptr;
    return {begin, std::min(length, static_cast<std::size_t>(end - begin))};
}

// Without what a C library puts before a name of its own: __GI___libc_read is read, and
// __isoc99_scanf is scanf. What calls main and exit has no other name; newer libraries have it call
// another function for that.
std::string without_own_prefixes(const std::string &name) {
    if (name == "__libc_start_main" || name == "__libc_start_call_main") {
        return "__libc_start_main";
    }
    constexpr std::string_view internal = "__GI_";
    constexpr std::array<std::string_view, 3> others{"libc_", "isoc99_", "isoc23_"};
    std::string_view rest = name;
    if (rest.starts_with(internal)) {
        rest.remove_prefix(internal.size());
    }
    rest.remove_prefix(std::min(rest.find_first_not_of('_'), rest.size()));
    for (const std::string_view other : others) {
        if (rest.starts_with(other)) {
            rest.remove_prefix(other.size());
        }
    }
    return rest.empty() ? name : std::string(rest);
}

// Without what compilers and a C library put around the name of a function, for a part of it or for
// one processor. memset_avx512_unaligned_erms is memset, and new_sem_wait_slow64.constprop.0 is
// sem_wait, if FILE has that.
std::string without_parts(std::string_view name, const ElfImage &file) {
    static constexpr std::array<std::string_view, 10> behind{
        "_avx", "_evex", "_sse", "_erms", "_sve", "_fma", "_slow", "_full", "_common", "."};
    constexpr std::string_view before = "new_";
    std::size_t end = name.size();
    for (const std::string_view one : behind) {
        end = std::min(end, name.find(one));
    }
    std::string plain(name.substr(0, end));
    if (plain.starts_with(before) && !file.symbol(plain)) {
        plain.erase(0, before.size());
    }
    return plain.size() < name.size() && file.symbol(plain) ? plain : std::string(name);
}

}  // namespace

std::string without_version(const std::string &name) { return name.substr(0, name.find('@')); }

FunctionReader::FunctionReader(std::shared_ptr<AddressSpace> space, Modules modules)
    : space_(std::move(space)), modules_(std::move(modules)),
      architecture_(make_architecture(space_->layout().machine)) {
    for (const auto &module : modules_) {
        for (const Segment &segment : module->elf->headers().segments) {
            const std::uint64_t start = module->bias + segment.address;
            ranges_[start] = {start + segment.size, module.get()};
        }
    }
}

FunctionReader::~FunctionReader() = default;

FunctionValues &FunctionReader::values(const FunctionCode &function) {
    std::unique_ptr<FunctionValues> &known = values_[&function];
    if (known == nullptr) {
        known = std::make_unique<FunctionValues>(function, *architecture_);
    }
    return *known;
}

const Module *FunctionReader::module_at(std::uint64_t address) const {
    const auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) {
        return nullptr;
    }
    const auto &[end, module] = std::prev(after)->second;
    return address < end ? module : nullptr;
}

bool FunctionReader::is_constant(std::uint64_t address) const {
    const Module *const module = module_at(address);
    if (module == nullptr) {
        return false;
    }
    const ElfHeaders &headers = module->elf->headers();
    const auto holds = [at = address - module->bias](const Segment &one) {
        return one.address <= at && at - one.address < one.size;
    };
    const auto segment = std::ranges::find_if(headers.segments, holds);
    const bool is_written =
        segment == headers.segments.end() || segment->flags.find('w') != std::string::npos;
    return !is_written || (headers.relocated && holds(*headers.relocated));
}

std::optional<std::uint64_t> FunctionReader::address_of(std::string_view name) const {
    const auto found = find_symbol(modules_, name);
    return found ? std::optional(found->module->bias + found->symbol.value) : std::nullopt;
}

std::optional<MappedFunction> FunctionReader::symbol_at(std::uint64_t pc) const {
    const Module *const module = module_at(pc);
    auto symbol = module == nullptr ? std::nullopt : module->elf->function_at(pc - module->bias);
    if (!symbol || symbol->size == 0) {
        return std::nullopt;
    }
    return MappedFunction{module, *std::move(symbol)};
}

std::string_view FunctionReader::identifier_at(std::uint64_t pc) {
    const auto [known, is_new] = identifiers_.try_emplace(pc);
    if (is_new) {
        if (const auto function = symbol_at(pc)) {
            known->second = identifier_of(function->symbol.name);
        }
    }
    return known->second;
}

std::optional<std::string> FunctionReader::plain_name(std::uint64_t start) const {
    const auto function = symbol_at(start);
    if (!function || function->start() != start) {
        return std::nullopt;
    }
    auto names = function->module->elf->function_names(function->symbol.value);
    std::ranges::for_each(names, [](std::string &name) { name = without_version(name); });
    std::erase_if(names, [](const std::string &name) { return name.starts_with('_'); });
    if (names.empty()) {
        const std::string name = without_version(function->symbol.name);
        const auto of_cpp = cpp_name(name);
        return of_cpp ? *of_cpp : without_parts(without_own_prefixes(name), *function->module->elf);
    }
    // "sem_wait" before "__new_sem_wait", "read" before what is longer.
    return *std::min_element(names.begin(), names.end(), [](const auto &one, const auto &other) {
        return std::pair(one.size(), one) < std::pair(other.size(), other);
    });
}

const std::string &FunctionReader::plain_name_around(std::uint64_t pc) {
    const auto [known, is_new] = plain_names_.try_emplace(pc);
    if (is_new) {
        if (const auto function = symbol_at(pc)) {
            known->second = plain_name(function->start()).value_or("");
        }
    }
    return known->second;
}

const FunctionCode *FunctionReader::code_from(std::uint64_t pc) {
    return architecture_ == nullptr ? nullptr : decoded({pc, pc + looked_ahead}, pieces_[pc]);
}

const FunctionCode *FunctionReader::function(std::uint64_t pc) { return whole(place_of(pc)); }

std::uint64_t FunctionReader::start_of(std::uint64_t pc) {
    const auto &place = place_of(pc);
    return place ? place->start : 0;
}

const std::optional<Range> &FunctionReader::place_of(std::uint64_t pc) {
    const auto [known, is_new] = places_.try_emplace(pc);
    if (is_new) {
        const auto found = symbol_at(pc);
        known->second =
            found ? Range{found->start(), found->start() + found->symbol.size} : unwind_entry(pc);
    }
    return known->second;
}

std::optional<std::uint64_t> FunctionReader::word(std::uint64_t address, unsigned size) const {
    std::array<std::uint64_t, 1> found{};
    return space_->can_read(TargetAddr{address},
                            std::as_writable_bytes(std::span(found)).first(size))
               ? std::optional(found.front())
               : std::nullopt;
}

std::optional<Range> FunctionReader::unwind_entry(std::uint64_t pc) const {
    const Module *const module = module_at(pc);
    if (module == nullptr || !module->elf->headers().frame_table) {
        return std::nullopt;
    }
    const auto read = [this](std::uint64_t address, unsigned size) { return word(address, size); };
    const Segment &place = *module->elf->headers().frame_table;
    const std::uint64_t start = module->bias + place.address;
    return FrameTable(read, {start, start + place.size}).around(pc);
}

bool FunctionAround::is_without_line(std::uint64_t pc) const {
    return module->elf->is_without_line(pc - module->bias);
}

std::optional<FunctionAround> FunctionReader::around(std::uint64_t pc) const {
    const Module *const module = module_at(pc);
    if (module == nullptr) {
        return std::nullopt;
    }
    const auto source = module->elf->symbols_from();
    FunctionAround found;
    found.module = module;
    found.has_all_symbols = source == SymbolSource::symtab || source == SymbolSource::debuginfo;
    if (const auto symbol = symbol_at(pc)) {
        found.start = symbol->start();
        found.name = demangled(without_version(symbol->symbol.name));
    } else if (const auto entry = unwind_entry(pc)) {
        found.start = entry->start;
    }
    found.is_entry = found.start == module->bias + module->elf->headers().entry;
    return found;
}

const FunctionCode *FunctionReader::whole(const std::optional<Range> &function) {
    if (architecture_ == nullptr || !function ||
        function->end - function->start > longest_function) {
        return nullptr;
    }
    return decoded(*function, functions_[function->start]);
}

const FunctionCode *FunctionReader::function_at_start(std::uint64_t address) {
    const FunctionCode *const found = function(address);
    return found != nullptr && found->start() == address ? found : nullptr;
}

const FunctionCode *FunctionReader::decoded(const Range &place, Decoded &known) {
    if (known.is_current) {
        return known.code.get();
    }
    known.is_current = true;
    std::vector<std::byte> bytes(place.end - place.start);
    if (!space_->can_read(TargetAddr{place.start}, bytes)) {
        values_.erase(known.code.get());
        known.code.reset();  // not all of it is in memory
        return nullptr;
    }
    if (known.code == nullptr || known.code->end() != place.end || !are_same(bytes, known.bytes)) {
        std::vector<Instruction> instructions;
        architecture_->decode(bytes, place.start, instructions);
        values_.erase(known.code.get());
        known.code =
            std::make_unique<FunctionCode>(place.start, place.end, std::move(instructions));
        const auto cases = [&](std::size_t index) {
            return cases_of(*known.code, index, [this](std::uint64_t address, unsigned size) {
                return is_constant(address) ? word(address, size) : std::nullopt;
            });
        };
        known.code->note_cases(cases,
                               [this](std::uint64_t place) { return word(place, pointer_size); });
        known.bytes = std::move(bytes);
        note_destinations(*known.code);
    }
    return known.code.get();
}

// Compilers that use no stubs keep the address of what is called more than once in a register, and
// work it out where code may be large. If all jumps of which it is not known where they go lead out
// of the function as soon as they are supposed to, they do: none is the first that does not.
void FunctionReader::note_destinations(FunctionCode &code) {
    std::vector<std::size_t> jumps;
    for (std::size_t index = 0; index < code.instructions().size(); ++index) {
        if (code.goes_anywhere(index)) {
            jumps.push_back(index);
        }
    }
    if (!jumps.empty()) {
        code.set_outward(jumps, true);
        const bool are_outward = std::ranges::all_of(
            jumps, [&](std::size_t index) { return note_destination(code, index); });
        if (!are_outward) {
            code.set_outward(jumps, false);
            values_.erase(&code);
        }
    }
    for (std::size_t index = 0; index < code.instructions().size(); ++index) {
        if (code.at(index).is_call() && code.at(index).target == 0) {
            note_destination(code, index);
        }
    }
}

// Whether it is known where a call goes, or a jump that is supposed to lead out of the function.
bool FunctionReader::note_destination(FunctionCode &code, std::size_t index) {
    const Instruction &one = code.at(index);
    if (one.has_memory && one.memory.base == no_register) {
        return false;  // that tells it
    }
    FunctionValues &values = this->values(code);
    const auto goes_to = values.is_reached(index) ? values.goes_to(index) : std::nullopt;
    if (!goes_to) {
        return false;
    }
    const Node node = values.node(goes_to->base);
    const bool is_loaded = goes_to->offset == 0 && node.kind == Node::Kind::load &&
                           node.width == pointer_size && node.first.is_number() &&
                           is_constant(node.first.offset);
    const auto to = is_loaded ? word(node.first.offset, pointer_size)
                    : goes_to->is_number() && module_at(goes_to->offset) != nullptr
                        ? std::optional(goes_to->offset)
                        : std::nullopt;
    if (!to || (one.is_jump() && code.start() <= *to && *to < code.end())) {
        return false;
    }
    code.note_destination(index, is_loaded ? 0 : *to, is_loaded ? node.first.offset : 0);
    return true;
}

}  // namespace gdb_ompd::code
