// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/layout.hpp"

#include "base/errors.hpp"
#include "base/target.hpp"
#include "elf/address_space.hpp"
#include "recovery/meta_symbols.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace gdb_ompd::llvm {

namespace {

constexpr std::string_view access_prefix = "ompd_access__";
constexpr std::string_view size_prefix = "ompd_sizeof__";
constexpr std::string_view flag_prefix = "ompd_bitfield__kmp_tasking_flags_t__";
constexpr std::string_view separator = "__";

// No structure of the runtime is larger; kmp_info_t is about 1 KiB.
constexpr std::uint64_t max_size = 1U << 16U;
// What is read of a record is read at once: fields that are further apart are of no record.
constexpr std::uint64_t max_extent = 4096;
constexpr std::uint64_t first_bit_beyond_flags = std::uint64_t{1} << 32U;

// Fields that are structures or unions in their own right.
constexpr auto aggregates = std::to_array<std::string_view>(
    {"th_info", "ompt_thread_info", "ompt_team_info", "ompt_task_info", "ds", "th", "r", "t",
     "sched", "td_icvs", "frame", "task_data", "parallel_data", "thread_data", "exit_frame",
     "enter_frame"});
// Records whose whole size is published, too.
constexpr auto sized_records = std::to_array<std::string_view>({"kmp_info_t", "kmp_taskdata_t"});

std::string joined(std::string_view prefix, std::string_view name) {
    return std::string(prefix).append(name);
}

std::string joined(std::string_view prefix, std::string_view record, std::string_view name) {
    return joined(prefix, record).append(separator).append(name);
}

[[noreturn]] void refuse(const std::string &what) {
    throw Inconsistent("the OpenMP runtime's layout is not sound (" + what +
                       "): its memory may be overwritten; nothing is read from it");
}

[[noreturn]] void refuse(std::string_view name, std::uint64_t value) {
    refuse(std::string(name) + " is " + std::to_string(value));
}

class Check {
public:
    explicit Check(const Layout &layout) : layout_(layout) {}

    void run() {
        for (const std::string_view symbol : recovery::stores_in_ompd_init) {
            if (!layout_.values().contains(symbol)) {
                refuse(joined("there is no ", symbol));
            }
        }
        for (const auto &[symbol, value] : layout_.values()) {
            if (symbol.starts_with(access_prefix)) {
                check_field(std::string_view(symbol).substr(access_prefix.size()));
            } else if (symbol.starts_with(flag_prefix)) {
                check_flag(symbol, value);
            } else if (!is_of_field(symbol) && (value == 0 || value >= max_size)) {
                refuse(symbol, value);
            }
        }
        for (const auto &[record, extent] : extents_) {
            if (const std::uint64_t size = extent.second - extent.first; size > max_extent) {
                refuse("fields of a record are " + std::to_string(size) + " bytes apart");
            }
        }
    }

private:
    void check_field(std::string_view qualified) {
        const std::size_t end = qualified.find(separator);
        const std::string_view record = qualified.substr(0, end);
        const std::string_view name = qualified.substr(end + separator.size());
        const auto [offset, size] = layout_.field(record, name);
        const bool is_sized = std::ranges::find(sized_records, record) != sized_records.end();
        const std::uint64_t bound = is_sized ? layout_.size_of(record) : max_size;
        if (size == 0 || offset > bound || size > bound - offset) {
            refuse(joined(access_prefix, qualified), offset);
        }
        if (std::ranges::find(aggregates, name) == aggregates.end() && size != 1 && size != 2 &&
            size != 4 && size != 8) {
            refuse(joined(size_prefix, qualified), size);
        }
        const auto [entry, is_first] = extents_.try_emplace(record, offset, offset + size);
        if (!is_first) {
            auto &[begin, last] = entry->second;
            begin = std::min(begin, offset);
            last = std::max(last, offset + size);
        }
    }

    static void check_flag(std::string_view symbol, std::uint64_t mask) {
        if (mask == 0 || (mask & (mask - 1)) != 0 || mask >= first_bit_beyond_flags) {
            refuse(symbol, mask);
        }
    }

    [[nodiscard]] bool is_of_field(std::string_view symbol) const {
        return layout_.values().contains(joined(access_prefix, symbol.substr(size_prefix.size())));
    }

    const Layout &layout_;
    std::map<std::string_view, std::pair<std::uint64_t, std::uint64_t>> extents_;  // by record
};

}  // namespace

Layout::Layout(Values values) : values_(std::move(values)) { Check(*this).run(); }

Layout Layout::read(AddressSpace &space) {
    Values values;
    for (const std::string_view symbol : recovery::stores_in_ompd_init) {
        const auto address = space.symbol_address(symbol, std::nullopt, std::nullopt);
        if (!address) {
            throw Inconsistent("the OpenMP runtime has no symbol " + std::string(symbol));
        }
        values.emplace(symbol, space.read_uint(*address, pointer_size));
    }
    return Layout(std::move(values));
}

FieldPlace Layout::field(std::string_view record, std::string_view name) const {
    const auto size = values_.find(joined(size_prefix, record, name));
    if (size == values_.end()) {
        throw std::invalid_argument("no such field: " + std::string(record) + "." +
                                    std::string(name));
    }
    return {access(record, name), size->second};
}

std::uint64_t Layout::access(std::string_view record, std::string_view name) const {
    const auto found = values_.find(joined(access_prefix, record, name));
    if (found == values_.end()) {
        throw std::invalid_argument("no such field: " + std::string(record) + "." +
                                    std::string(name));
    }
    return found->second;
}

std::uint64_t Layout::size_of(std::string_view name) const {
    const auto found = values_.find(joined(size_prefix, name));
    if (found == values_.end()) {
        throw std::invalid_argument("no such type or variable: " + std::string(name));
    }
    return found->second;
}

std::uint64_t Layout::bit(std::string_view flag) const {
    const auto found = values_.find(joined(flag_prefix, flag));
    if (found == values_.end()) {
        throw std::invalid_argument("no such flag: " + std::string(flag));
    }
    return found->second;
}

}  // namespace gdb_ompd::llvm
