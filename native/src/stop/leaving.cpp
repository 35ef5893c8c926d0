// SPDX-License-Identifier: Apache-2.0
#include "stop/leaving.hpp"

#include "elf/address_space.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace gdb_ompd {

using code::Frame;
using code::Owner;

namespace {

constexpr std::array<std::string_view, 2> ending_process{leaving_process, "quick_exit"};
constexpr std::string_view destroying = "call_tls_dtors";
constexpr std::string_view destroying_data = "nptl_deallocate_tsd";
constexpr std::array<std::string_view, 2> giving_up{leaving_process, "abort"};
constexpr std::size_t longest_text = 256;  // of a message, bytes
constexpr std::size_t most_giving_up = 24;

// LLVM's message: a type, a number, a text, and the text's length, in 24 bytes. The function that
// gives up is passed several on the stack, and one of which all is 0 behind them.
constexpr std::uint64_t message_size = 24;
constexpr std::uint64_t message_number = 4;
constexpr std::uint64_t message_text = 8;
constexpr unsigned message_word = 4;
constexpr std::uint64_t most_messages = 5;
constexpr std::uint64_t most_numbers = 1000;
constexpr std::uint32_t of_error = 4;
constexpr std::uint32_t of_hint = 5;
constexpr std::uint32_t of_system = 0xffffffff;

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

// The text that a printf makes of FORMAT and the first of its arguments, if that is a TEXT.
std::string with_text(std::string format, const std::string &text) {
    const auto place = format.find("%s");
    if (place != std::string::npos && format.find('%') == place && !text.empty()) {
        format.replace(place, 2, text);
    }
    return format.find('%') == std::string::npos ? format : format.substr(0, format.find('%'));
}

}  // namespace

// A call that never returns may be the last instruction of its function.
const std::string &LeavingReader::name(Frames frames, std::size_t place) const {
    return calls_.functions().plain_name_around(frames[place].pc - (place == 0 ? 0 : 1));
}

Leaving LeavingReader::ending(Frames frames) const {
    for (std::size_t place = frames.size(); place-- > 0;) {
        if (calls_.code().owner(frames[place].pc) != Owner::system) {
            continue;
        }
        if (is_one_of(ending_process, name(frames, place))) {
            return Leaving::process;
        }
        if (name(frames, place) == destroying) {
            return Leaving::thread;
        }
    }
    return Leaving::none;
}

bool LeavingReader::destroys_data(Frames frames) const {
    for (std::size_t place = 0; place < frames.size(); ++place) {
        if (calls_.code().owner(frames[place].pc) == Owner::system &&
            name(frames, place) == destroying_data) {
            return true;
        }
    }
    return false;
}

// Runtimes end a program for no other reason.
std::optional<std::size_t> LeavingReader::since_giving_up(Frames frames) const {
    const auto owner = [&](std::size_t place) { return calls_.code().owner(frames[place].pc); };
    for (std::size_t place = 1; place < frames.size(); ++place) {
        if (owner(place - 1) == Owner::system && owner(place) == Owner::runtime &&
            is_one_of(giving_up, name(frames, place - 1))) {
            return place;
        }
    }
    return std::nullopt;
}

std::optional<GaveUp> LeavingReader::gave_up(Frames frames) const {
    const auto inside = since_giving_up(frames);
    if (!inside) {
        return std::nullopt;
    }
    const Frames outer = frames.subspan(*inside);
    const auto other = std::ranges::find_if(
        outer, [this](const Frame &one) { return calls_.code().owner(one.pc) != Owner::runtime; });
    const auto count = static_cast<std::size_t>(other - outer.begin());
    const Frames runtimes = outer.first(std::min(count, most_giving_up));
    const std::uint64_t pc = runtimes.front().pc - 1;
    const auto *const module = calls_.functions().module_at(pc);
    const auto symbol = calls_.functions().symbol_at(pc);
    const code::EntryPoint *const entry = calls_.around(outer[count - 1].pc - 1);
    const std::string_view file = module == nullptr ? std::string_view() : module->name;
    GaveUp found{
        std::string(file.substr(file.rfind('/') + 1)), symbol ? symbol->symbol.name : std::string(),
        std::string(entry == nullptr ? std::string_view() : entry->name), number_of(runtimes)};
    if (found.message.empty()) {
        found.message = format_of(runtimes);
    }
    return found;
}

// GCC's runtime passes its message, a constant, as printf has it.
std::string LeavingReader::format_of(Frames runtimes) const {
    code::FunctionReader &functions = calls_.functions();
    for (std::size_t place = 1; place < runtimes.size() && functions.architecture() != nullptr;
         ++place) {
        const Frame &frame = runtimes[place];
        const auto *const code = functions.function(frame.pc - 1);
        const auto call = code == nullptr ? std::nullopt : code->call_before(frame.pc);
        const auto format =
            call ? calls_.in_frame(*code, *call, frame).argument(*call, 0).value : std::nullopt;
        if (format && functions.is_constant(*format) && !text_at(*format).empty()) {
            const auto text = first_variable(runtimes[place - 1]);
            return with_text(text_at(*format), text ? text_at(*text) : std::string());
        }
    }
    return {};
}

// The second argument of a function that takes any number of them: it begins with writing all that
// may be to its stack.
std::optional<std::uint64_t> LeavingReader::first_variable(const Frame &variadic) const {
    code::FunctionReader &functions = calls_.functions();
    const auto *const code = functions.function(variadic.pc - 1);
    const auto call = code == nullptr ? std::nullopt : code->call_before(variadic.pc);
    if (!call) {
        return std::nullopt;
    }
    const code::Register second = functions.architecture()->convention().arguments[1];
    for (std::size_t index = 0; index < *call; ++index) {
        const code::Instruction &one = code->at(index);
        if (one.operation == code::Operation::store && one.source == second &&
            one.width == pointer_size && one.memory.index == code::no_register &&
            one.memory.base != code::no_register) {
            const auto base =
                calls_.in_frame(*code, *call, variadic).held_by(index, one.memory.base).value;
            return base
                       ? functions.space().uint_at(TargetAddr{*base + static_cast<std::uint64_t>(
                                                                          one.memory.displacement)},
                                                   pointer_size)
                       : std::nullopt;
        }
        if ((one.writes & code::bit_of(second)) != 0) {
            break;
        }
    }
    return std::nullopt;
}

// What is printable there, up to its end; empty where something else is.
std::string LeavingReader::text_at(std::uint64_t address) const {
    std::string found;
    for (std::size_t at = 0; at < longest_text; ++at) {
        const auto byte = calls_.functions().space().uint_at(TargetAddr{address + at}, 1);
        if (!byte || (*byte != 0 && std::isprint(static_cast<int>(*byte)) == 0)) {
            return {};
        }
        if (*byte == 0) {
            return found;
        }
        found.push_back(static_cast<char>(*byte));
    }
    return {};
}

// The errors that LLVM's runtime was to tell of: their texts have been freed.
std::string LeavingReader::number_of(Frames runtimes) const {
    const auto *const architecture = calls_.functions().architecture();
    for (std::size_t place = 1; architecture != nullptr && place < runtimes.size(); ++place) {
        const auto top = runtimes[place].held_by(architecture->convention().stack_pointer);
        const auto found = top ? numbered(*top) : std::nullopt;
        if (found) {
            return *found;
        }
    }
    return {};
}

std::optional<std::string> LeavingReader::numbered(std::uint64_t record) const {
    AddressSpace &space = calls_.functions().space();
    std::string said;
    for (std::uint64_t count = 0; count < most_messages; ++count, record += message_size) {
        const auto type = space.uint_at(TargetAddr{record}, message_word);
        const auto number = space.uint_at(TargetAddr{record + message_number}, message_word);
        const auto text = space.uint_at(TargetAddr{record + message_text}, pointer_size);
        if (!type || !number || !text || (*type == 0) != (*number == 0 && *text == 0)) {
            return std::nullopt;
        }
        if (*type == 0) {
            return said.empty() ? std::nullopt : std::optional(said);
        }
        const bool is_first = *type == of_error;
        if (is_first != said.empty() || *number >= most_numbers ||
            (!is_first && *type != of_hint && *type != of_system)) {
            return std::nullopt;
        }
        if (is_first) {
            said = "OMP: Error #" + std::to_string(*number);
        } else if (*type == of_system) {
            said += ", system error #" + std::to_string(*number);
        }
    }
    return std::nullopt;
}

}  // namespace gdb_ompd
