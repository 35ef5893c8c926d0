// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/records.hpp"

#include "base/target.hpp"
#include "elf/address_space.hpp"

#include <array>
#include <sstream>
#include <vector>

namespace gdb_ompd::llvm {

namespace {

constexpr std::size_t flags_size = 4;
constexpr std::size_t int_size = 4;
// A frame of ompt_frame_t is a union of pointers and begins with the address.
constexpr std::size_t frame_size = 8;

// ompt_team_info_t.master_return_address, where the encountering code called the runtime. It
// follows parallel_data and has no symbol.
FieldPlace caller_in(const Layout &layout, std::uint64_t team_info) {
    const FieldPlace data = layout.field("ompt_team_info_t", "parallel_data");
    return {team_info + data.offset + data.size, pointer_size};
}

std::string cannot_access(TargetAddr address) {
    std::ostringstream text;
    text << "Cannot access memory at address 0x" << std::hex << address.value;
    return text.str();
}

}  // namespace

Places::Places(const Layout &layout, AskPlace nested)
    : thread_in_info(layout.access("kmp_info_t", "th")),
      team_in_pointer(layout.access("kmp_team_p", "t")),
      task_size(layout.size_of("kmp_taskdata_t")), routine(layout.field("kmp_task_t", "routine")),
      explicit_task(layout.bit("tasktype")), final_task(layout.bit("final")),
      undeferred_task(layout.bit("task_serial")) {
    const auto of_thread = [&](const char *name) { return layout.field("kmp_base_info_t", name); };
    const auto of_descriptor = [&](const char *name) {
        return within(within(of_thread("th_info"), layout.field("kmp_desc_t", "ds")),
                      layout.field("kmp_desc_base_t", name));
    };
    const FieldPlace thread_num = of_descriptor("ds_tid");
    // ds_gtid, which has no symbol, is declared after ds_tid.
    const FieldPlace gtid{thread_num.offset + int_size, int_size};
    thread = {of_descriptor("ds_thread"),
              thread_num,
              gtid,
              of_thread("th_team"),
              of_thread("th_current_task"),
              of_thread("ompt_thread_info")};
    const auto of_team = [&](const char *name) { return layout.field("kmp_base_team_t", name); };
    team = {of_team("t_parent"),
            of_team("t_nproc"),
            of_team("t_level"),
            of_team("t_active_level"),
            of_team("t_threads"),
            of_team("t_master_tid"),
            of_team("t_pkfn"),
            of_team("t_implicit_task_taskdata"),
            of_team("ompt_serialized_team_info"),
            caller_in(layout, of_team("ompt_team_info").offset),
            std::move(nested)};
    const auto of_task = [&](const char *name) { return layout.field("kmp_taskdata_t", name); };
    // A bit field: whatever its type's size is, the flags are the first four bytes.
    task = {{of_task("td_flags").offset, flags_size},
            of_task("td_team"),
            of_task("td_parent"),
            of_task("ompt_task_info").offset};
    const auto of_serialized = [&](const char *name) {
        return layout.field("ompt_lw_taskteam_t", name);
    };
    serialized = {of_serialized("parent"),
                  caller_in(layout, of_serialized("ompt_team_info").offset),
                  of_serialized("ompt_task_info").offset};
    const auto of_frame = [&](const char *name) {
        const FieldPlace place =
            within(layout.field("ompt_task_info_t", "frame"), layout.field("ompt_frame_t", name));
        return FieldPlace{place.offset, frame_size};
    };
    task_info = {of_frame("enter_frame"), of_frame("exit_frame"),
                 layout.field("ompt_task_info_t", "scheduling_parent")};
}

Unreadable::Unreadable(TargetAddr address) : Inconsistent(cannot_access(address)) {}

void Memory::read(TargetAddr address, std::span<std::byte> out) const {
    if (budget_ != nullptr) {
        budget_->step();
    }
    bool is_whole = false;
    try {
        const bool wraps = address.value + out.size() < address.value;
        is_whole = !wraps && space_->cache().read(address, out);
    } catch (const MemoryUnreadable &) {
        is_whole = false;
    }
    if (!is_whole) {
        throw Unreadable(address);
    }
}

std::uint64_t Memory::field(TargetAddr record, FieldPlace place) const {
    std::array<std::byte, 8> bytes{};
    if (place.size > bytes.size()) {
        throw Inconsistent("a field of " + std::to_string(place.size) +
                           " bytes cannot be: memory is damaged");
    }
    const auto used = std::span(bytes).first(place.size);
    read(record + place.offset, used);
    return space_->to_uint(used);
}

std::int64_t Memory::signed_field(TargetAddr record, FieldPlace place) const {
    return to_signed(field(record, place), place.size);
}

bool Memory::is_readable(TargetAddr address, std::size_t size) const {
    try {
        std::vector<std::byte> bytes(size);
        read(address, bytes);
        return true;
    } catch (const Unreadable &) {
        return false;
    }
}

std::string Memory::text(TargetAddr address, std::size_t limit) const {
    constexpr std::size_t chunk = 64;
    std::string found;
    while (found.size() < limit) {
        const TargetAddr at = address + found.size();
        std::array<char, chunk> piece{};
        auto part = std::as_writable_bytes(std::span(piece)).first(chunk - at.value % chunk);
        if (!is_readable(at, part.size())) {
            part = part.first(1);  // the text may end just before memory does
        }
        read(at, part);
        const std::string_view characters(piece.data(), part.size());
        const std::size_t nul = characters.find('\0');
        found += characters.substr(0, nul);
        if (nul != std::string_view::npos) {
            break;
        }
    }
    return found.substr(0, limit);
}

}  // namespace gdb_ompd::llvm
