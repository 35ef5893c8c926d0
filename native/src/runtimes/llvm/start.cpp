// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/start.hpp"

#include "base/errors.hpp"
#include "base/target.hpp"
#include "elf/address_space.hpp"
#include "recovery/meta_symbols.hpp"
#include "runtimes/llvm/environment.hpp"
#include "runtimes/llvm/records.hpp"
#include "runtimes/llvm/symbols.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::llvm {

namespace {

// The first three answer nothing without.
constexpr auto required_variables = std::to_array<std::string_view>(
    {"ompd_state", "__kmp_threads", "__kmp_gtid", "ompd_dll_locations", "__kmp_openmp_version",
     "ompd_env_block", "ompd_env_block_size", "__kmp_stksize", "__kmp_omp_cancellation",
     "__kmp_max_task_priority", "__kmp_display_affinity", "__kmp_tool", "__kmp_avail_proc",
     "__kmp_affinity_format", "__kmp_tool_libraries", "__kmp_tool_verbose_init", "__kmp_nested_nth",
     "__kmp_nested_proc_bind"});

constexpr std::string_view locations = "ompd_dll_locations";
constexpr std::size_t max_locations = 32;  // a longer list, or a longer path, is damaged memory
constexpr std::size_t max_path = 4096;

constexpr std::uint64_t enable_bit = 1;  // OMPD_ENABLE_BP, ompd-specific.h

// A level of nesting takes an element; OMP_NUM_THREADS has no more of them.
constexpr std::uint64_t max_levels = 1000;

std::uint64_t value_of(AddressSpace &space, std::string_view name, std::size_t size) {
    return space.read_uint(require_symbol(space, name), size);
}

void write(AddressSpace &space, TargetAddr address, std::uint64_t value, std::size_t size) {
    std::array<std::byte, 8> bytes{};
    const bool is_big = space.layout().byte_order == std::endian::big;
    for (std::size_t i = 0; i < size; ++i) {
        bytes.at(is_big ? size - 1 - i : i) = static_cast<std::byte>(value >> (8 * i));
    }
    space.write(address, std::span(bytes).first(size));
}

void set_enabled(AddressSpace &space, TargetAddr address, std::size_t size) {
    write(space, address, space.read_uint(address, size) | enable_bit, size);
}

void check(const std::string &what, std::uint64_t value, std::uint64_t most) {
    if (value > most) {
        throw Inconsistent("the OpenMP runtime's settings are not sound (" + what + " is " +
                           std::to_string(value) +
                           "): its memory may be overwritten; they are not read");
    }
}

}  // namespace

MissingSymbols missing_symbols(const ElfImage &elf) {
    MissingSymbols missing;
    const auto take = [&](std::string_view name) {
        if (!elf.symbol(name)) {
            missing.names.emplace_back(name);
        }
    };
    std::ranges::for_each(required_variables, take);
    const std::size_t others = missing.names.size();
    std::ranges::for_each(recovery::stores_in_ompd_init, take);
    missing.is_stripped = missing.names.size() - others == recovery::stores_in_ompd_init.size();
    return missing;
}

RuntimeState runtime_state(AddressSpace &space) {
    if (!has_named_libraries(space)) {
        return RuntimeState::before_start;
    }
    if (value_of(space, "__kmp_threads", pointer_size) != 0) {
        return RuntimeState::running;
    }
    // The number of processors is found before the first region and never forgotten.
    return value_of(space, "__kmp_avail_proc", 4) != 0 ? RuntimeState::ended
                                                       : RuntimeState::unstarted;
}

bool has_named_libraries(AddressSpace &space) {
    return space.read_pointer(require_symbol(space, locations)).value != 0;
}

std::vector<std::string> named_libraries(AddressSpace &space) {
    std::vector<std::string> found;
    const auto list = space.symbol_address(locations, std::nullopt, std::nullopt);
    const Memory memory(space);
    try {
        TargetAddr entry = list ? memory.pointer(*list) : TargetAddr{};
        while (entry.value != 0 && found.size() < max_locations) {
            const TargetAddr name = memory.pointer(entry);
            const std::string text = name.value == 0 ? "" : memory.text(name, max_path);
            if (text.empty() || text.size() == max_path) {
                break;
            }
            found.push_back(text);
            entry = entry + pointer_size;
        }
    } catch (const Unreadable &) {
        return found;
    }
    return found;
}

bool was_started_with(AddressSpace &space, const std::string &variable) {
    try {
        return environment_of(Memory(space)).contains(variable);
    } catch (const Unreadable &) {
        return false;
    }
}

bool events_enabled(AddressSpace &space) {
    return (value_of(space, "ompd_state", 8) & enable_bit) != 0;
}

bool keeps_records(AddressSpace &space) {
    return (value_of(space, "ompt_enabled", 4) & enable_bit) != 0;
}

// Both words are needed: with ompd_state alone the begin of a serialized region is not
// announced.
void enable_events(AddressSpace &space) {
    const TargetAddr state = require_symbol(space, "ompd_state");
    set_enabled(space, require_symbol(space, "ompt_enabled"), 4);
    set_enabled(space, state, 8);
}

// The flag of OMPT stays: clearing it inside a serialized region would leave a dangling record
// in the program.
void disable_events(AddressSpace &space) {
    const TargetAddr state = require_symbol(space, "ompd_state");
    write(space, state, space.read_uint(state, 8) & ~enable_bit, 8);
}

void check_settings(AddressSpace &space, const Layout &layout) {
    for (const auto &[name, record] :
         {std::pair("__kmp_nested_nth", "kmp_nested_nthreads_t"),
          std::pair("__kmp_nested_proc_bind", "kmp_nested_proc_bind_t")}) {
        if (const auto list = space.symbol_address(name, std::nullopt, std::nullopt)) {
            const TargetAddr used = *list + layout.access(record, "used");
            check(std::string("the length of ") + name, space.read_uint(used, 4), max_levels);
        }
    }
    constexpr std::string_view size = "ompd_env_block_size";
    if (const auto address = space.symbol_address(size, std::nullopt, std::nullopt)) {
        check(std::string(size), space.read_uint(*address, 8), max_environment);
    }
}

}  // namespace gdb_ompd::llvm
