// SPDX-License-Identifier: Apache-2.0
// A hand-made libomp in memory, for damage that no real one would show. The layout is our
// own: the code under test must take every offset from it.
#pragma once

#include "elf/address_space.hpp"
#include "memory_target.hpp"
#include "recovery/meta_symbols.hpp"
#include "runtimes/llvm/records.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace gdb_ompd::llvm {

// A layout in which no two fields overlap: a word for each number, fields of a record far
// from each other, those of a nested record near.
inline Layout made_up_layout() {
    Layout::Values values;
    std::map<std::string, std::uint64_t> count;
    for (const std::string_view symbol : recovery::stores_in_ompd_init) {
        std::uint64_t value = 8;
        if (symbol.starts_with("ompd_access__")) {
            const std::string record(symbol.substr(13, symbol.find("__", 13) - 13));
            const bool is_frame = record == "ompt_frame_t";
            const bool is_outer = record.starts_with("kmp_base") || record == "kmp_taskdata_t" ||
                                  record == "ompt_lw_taskteam_t";
            value = count[record]++ * (is_frame ? 0x8 : is_outer ? 0x100 : 0x20);
        } else if (symbol.starts_with("ompd_bitfield__")) {
            value = std::uint64_t{1} << count["flags"]++;
        }
        values.emplace(symbol, value);
    }
    values["ompd_sizeof__kmp_desc_base_t__ds_tid"] = 4;  // ds_gtid, which has no name, follows
    values["ompd_sizeof__kmp_info_t"] = values["ompd_sizeof__kmp_taskdata_t"] = 0x800;
    return Layout(std::move(values));
}

class RuntimeMemory {
public:
    using Fields = std::initializer_list<std::pair<const char *, std::uint64_t>>;

    // A record of KIND with zeroes but for FIELDS.
    TargetAddr record(const std::string &kind, Fields fields = {}) {
        const TargetAddr address = block(0x1000);
        for (const auto &[name, value] : fields) {
            put(address, kind, name, value);
        }
        return address;
    }
    void put(TargetAddr record, const std::string &kind, const std::string &name,
             std::uint64_t value) {
        put(record + layout.access(kind, name), value);
    }
    void put(TargetAddr address, std::uint64_t value) {
        target->write_memory(address, std::as_bytes(std::span(&value, 1)));
        space->cache().clear();
    }
    TargetAddr array(const std::vector<TargetAddr> &values) {
        const TargetAddr address = block(0x1000);
        for (std::size_t i = 0; i < values.size(); ++i) {
            put(address + 8 * i, values[i].value);
        }
        return address;
    }

    TargetAddr team(const std::vector<TargetAddr> &threads, int level, TargetAddr parent = {},
                    std::uint64_t master_tid = 0, std::uint64_t function = 0x1000) {
        return record("kmp_base_team_t", {{"t_nproc", threads.size()},
                                          {"t_pkfn", function},
                                          {"t_level", static_cast<std::uint64_t>(level)},
                                          {"t_parent", parent.value},
                                          {"t_master_tid", master_tid},
                                          {"t_threads", array(threads).value}});
    }
    // A thread that is in no team yet.
    TargetAddr thread() { return record("kmp_base_info_t"); }
    // Have THREAD execute in TEAM.
    void join(TargetAddr thread, TargetAddr team, std::uint64_t thread_num, TargetAddr task = {}) {
        put(thread, "kmp_base_info_t", "th_team", team.value);
        put(thread, "kmp_base_info_t", "th_current_task", task.value);
        put(thread + places.thread.thread_num.offset, thread_num);
    }
    TargetAddr task(TargetAddr team, TargetAddr parent = {}, std::uint64_t flags = 0) {
        return record("kmp_taskdata_t",
                      {{"td_team", team.value}, {"td_parent", parent.value}, {"td_flags", flags}});
    }

    // Its primary thread's implicit task.
    TargetAddr implicit(TargetAddr team, TargetAddr parent) {
        const TargetAddr made = task(team, parent);
        put(team, "kmp_base_team_t", "t_implicit_task_taskdata", made.value);
        return made;
    }

    std::shared_ptr<MemoryTarget> target = std::make_shared<MemoryTarget>();
    std::shared_ptr<AddressSpace> space =
        std::make_shared<AddressSpace>(target, gdb_ompd::Layout{}, 4096);
    const Layout layout = made_up_layout();
    const Places places{layout};

private:
    TargetAddr block(std::size_t size) {
        const TargetAddr address{next_};
        next_ += size;
        target->map(address.value, std::vector<std::uint8_t>(size));
        return address;
    }

    std::uint64_t next_ = 0x10000;
};

}  // namespace gdb_ompd::llvm
