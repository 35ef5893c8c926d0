// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/device_table.hpp"

#include "runtimes/code_read.hpp"

#include <algorithm>
#include <set>

namespace gdb_ompd::llvm {

namespace {

constexpr const char *counts_devices = "omp_get_num_devices";
constexpr std::size_t longest_function = 1024;
constexpr std::uint64_t most_devices = 1024;

// What a function looks at: variables of its library, and of records the places that it reads, by
// how many bytes.
struct Looked {
    std::set<std::uint64_t> variables;
    std::set<std::uint64_t> words;
    std::set<std::uint64_t> halves;
};

bool is_variable(const Module &library, std::uint64_t address) {
    return std::ranges::any_of(library.elf->headers().segments, [&](const Segment &one) {
        return one.flags.find('w') != std::string::npos && address >= library.bias + one.address &&
               address - library.bias - one.address < one.size;
    });
}

Looked looked_at(AddressSpace &space, const Module &library, const Symbol &function) {
    const auto size = std::min<std::uint64_t>(function.size, longest_function);
    Looked found;
    for (const code::Instruction &one :
         code_read(space, TargetAddr{library.bias + function.value}, size)) {
        const bool names_address = one.operation == code::Operation::address;
        if ((!one.has_memory && !names_address) || one.memory.thread_local_segment ||
            one.memory.index != code::no_register) {
            continue;
        }
        const auto place = static_cast<std::uint64_t>(one.memory.displacement);
        if (one.memory.base == code::no_register) {
            if (is_variable(library, place)) {
                found.variables.insert(place);
            }
        } else if (!names_address && !one.changes_memory()) {
            const std::uint8_t own = one.width != 0 ? one.width : one.computation.width;
            (own == 4 ? found.halves : found.words).insert(place);
        }
    }
    return found;
}

// The list of pointers that begins at BEGIN, if each leads to the record of the device with its
// number.
std::optional<DeviceRecords> records_at(AddressSpace &space, std::uint64_t begin,
                                        std::uint64_t count) {
    DeviceRecords found;
    for (std::uint64_t number = 0; number < count; ++number) {
        const auto record = space.uint_at(TargetAddr{begin + 8 * number}, 8);
        if (!record || space.uint_at(TargetAddr{*record}, 4) != number) {
            return std::nullopt;
        }
        found.push_back(*record);
    }
    return found;
}

// A std::vector has its begin and end, which the function subtracts.
std::optional<DeviceRecords> in_vector(AddressSpace &space, std::uint64_t vector) {
    const auto begin = space.uint_at(TargetAddr{vector}, 8);
    const auto end = space.uint_at(TargetAddr{vector + 8}, 8);
    const bool is_one = begin && end && *begin <= *end && (*end - *begin) % 8 == 0 &&
                        (*end - *begin) / 8 <= most_devices;
    return is_one ? records_at(space, *begin, (*end - *begin) / 8) : std::nullopt;
}

// A llvm::SmallVector has its begin, its size and how much it has room for.
std::optional<DeviceRecords> in_small_vector(AddressSpace &space, std::uint64_t vector) {
    const auto begin = space.uint_at(TargetAddr{vector}, 8);
    const auto size = space.uint_at(TargetAddr{vector + 8}, 4);
    const auto room = space.uint_at(TargetAddr{vector + 12}, 4);
    const bool is_one =
        begin && size && room && *begin != 0 && *size <= *room && *size <= most_devices;
    return is_one ? records_at(space, *begin, *size) : std::nullopt;
}

}  // namespace

std::optional<DeviceRecords> device_records(AddressSpace &space, const Module &library) {
    const auto function = library.elf->symbol(counts_devices);
    if (!function) {
        return std::nullopt;
    }
    const Looked looked = looked_at(space, library, *function);
    std::vector<DeviceRecords> lists;
    const auto add = [&](std::optional<DeviceRecords> found) {
        if (found) {
            lists.push_back(*std::move(found));
        }
    };
    for (const std::uint64_t variable : looked.variables) {
        const std::uint64_t manager = space.uint_at(TargetAddr{variable}, 8).value_or(0);
        for (const std::uint64_t place : looked.words) {
            if (manager != 0 && looked.words.contains(place + 8)) {
                add(in_vector(space, manager + place));
            }
        }
        for (const std::uint64_t place : looked.halves) {
            if (manager != 0 && place >= 8) {
                add(in_small_vector(space, manager + place - 8));
            }
        }
    }
    // One without devices looks like much else.
    const auto longest = std::ranges::max_element(lists, {}, &DeviceRecords::size);
    return longest == lists.end() ? std::nullopt : std::optional(*longest);
}

}  // namespace gdb_ompd::llvm
