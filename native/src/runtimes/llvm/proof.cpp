// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/proof.hpp"

#include "base/errors.hpp"
#include "elf/address_space.hpp"
#include "runtimes/llvm/alone.hpp"
#include "runtimes/llvm/thread_records.hpp"
#include "runtimes/thread_pointer.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gdb_ompd::llvm {

namespace {

// One thread would do to tell __kmp_threads from another table; more cost time.
constexpr int max_threads = 16;
constexpr std::uint64_t max_list = 1U << 16U;
constexpr std::uint64_t int_max = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t long_max = std::numeric_limits<std::int64_t>::max();

struct Range {
    std::string_view name;
    std::size_t size;
    std::uint64_t least, greatest;
};

// Of the settings; symbols that are not there (some are recovered only where the method
// allows) are passed over.
constexpr auto ranges = std::to_array<Range>({
    {"ompd_state", 8, 0, 1},
    {"__kmp_openmp_version", 4, 201107, 209912},
    {"__kmp_stksize", 8, 1U << 12U, long_max},
    {"__kmp_omp_cancellation", 4, 0, 1},
    {"__kmp_max_task_priority", 4, 0, int_max},
    {"__kmp_display_affinity", 4, 0, 1},
    {"__kmp_tool", 4, 0, 1},
    {"__kmp_avail_proc", 4, 0, 1U << 16U},
    {"__kmp_max_nth", 4, 0, int_max},
    {"__kmp_nth", 4, 0, int_max},
});

class Proof {
public:
    Proof(AddressSpace &space, const Module &module, const Layout::Values &constants)
        : space_(space), memory_(space), module_(module), constants_(constants) {}

    // PROVE, with memory that cannot be read as a refusal.
    template <class Prove> auto run(Prove prove) {
        try {
            return prove(*this);
        } catch (const Unreadable &error) {
            refuse(std::string("the program's memory cannot be read there: ") + error.what());
        }
    }

    // Each constant is in the program what it is in the code.
    void constants() const {
        for (const auto &[name, stored] : constants_) {
            const auto live = value(name, 8);
            if (live != stored) {
                refuse_file(name, live, stored);
            }
        }
    }

    // The settings have values that they can have.
    void settings(const Layout &layout) const {
        for (const Range &range : ranges) {
            const auto found = value(range.name, range.size);
            if (found && (*found < range.least || *found > range.greatest)) {
                refuse(std::string(range.name) + " is " + std::to_string(*found));
            }
        }
        check_list(layout, "__kmp_nested_nth", "kmp_nested_nthreads_t", "nth");
        check_list(layout, "__kmp_nested_proc_bind", "kmp_nested_proc_bind_t", "bind_types");
    }

    // The block of settings is one string of the size that is said. At its making and at its
    // end the two variables change one after the other.
    void environment() const {
        const std::uint64_t block = value("ompd_env_block", 8).value_or(0);
        const std::uint64_t size = value("ompd_env_block_size", 8).value_or(0);
        if (block == 0 || size == 0) {
            return;
        }
        if (size > max_environment) {
            refuse("ompd_env_block_size is " + std::to_string(size));
        }
        std::vector<std::byte> text(size + 1);
        memory_.read(TargetAddr{block}, text);
        if (std::ranges::find(text, std::byte{0}) != text.end() - 1) {
            refuse("ompd_env_block is no text of " + std::to_string(size) + " bytes");
        }
    }

    // Each thread that knows its global number finds its own record by it.
    [[nodiscard]] int threads(const Layout &layout, std::span<const NativeThread> natives) const {
        const TargetAddr table{value("__kmp_threads", 8).value_or(0)};
        int proved = 0;
        for (const NativeThread &native : natives) {
            if (table.value != 0 && proved < max_threads && native.pthread_id && !native.running) {
                proved += finds_itself(layout, table, native) ? 1 : 0;
            }
        }
        return proved;
    }

private:
    void check_list(const Layout &layout, std::string_view name, std::string_view record,
                    std::string_view pointer) const {
        const auto list = address_of(name);
        if (!list) {
            return;
        }
        const std::uint64_t items_at = layout.access(record, pointer);
        const std::uint64_t items = memory_.field(*list, {items_at, 8});
        const std::uint64_t used = memory_.field(*list, {layout.access(record, "used"), 4});
        const std::uint64_t size = memory_.field(*list, {items_at + 8, 4});
        if (items != 0 && (used > size || size > max_list)) {
            refuse(std::string(name) + " has " + std::to_string(used) + " entries of " +
                   std::to_string(size));
        }
    }

    // False for a thread that has no record yet. A root's slot is cleared before its number is;
    // a worker knows its number before its creator has put down its pthread_t.
    [[nodiscard]] bool finds_itself(const Layout &layout, TargetAddr table,
                                    const NativeThread &native) const {
        const auto pointer = thread_pointer(space_, native);
        const auto number = pointer ? global_number(memory_, *pointer) : std::nullopt;
        const TargetAddr info = number ? memory_.pointer(table + 8 * *number) : TargetAddr{};
        if (info.value == 0) {
            return false;
        }
        const Places places(layout);
        const TargetAddr record = info + places.thread_in_info;
        const std::uint64_t kept = memory_.field(record, places.thread.pthread_id);
        if (memory_.field(record, places.thread.gtid) != *number ||
            (kept != 0 && kept != *native.pthread_id)) {
            refuse("__kmp_threads[" + std::to_string(*number) + "] is not the record of thread " +
                   std::to_string(native.gdb_num));
        }
        return kept == *native.pthread_id;
    }

    [[noreturn]] void refuse_file(const std::string &name, std::optional<std::uint64_t> live,
                                  std::uint64_t stored) const {
        const std::string held = live ? std::to_string(*live) : "nothing";
        throw Inconsistent("the runtime in memory is not the file " + module_.name + ": " + name +
                           " is " + held + " in the program and " + std::to_string(stored) +
                           " in the file's code; use the file that the program was started with");
    }

    // What was found, and the way out.
    [[noreturn]] void refuse(const std::string &what) const {
        throw Inconsistent(
            "the symbols recovered from " + module_.name + " do not fit the program: " + what +
            "; its debug symbols are needed (debuginfod, or the package libomp5-VERSION-dbgsym)");
    }

    [[nodiscard]] std::optional<TargetAddr> address_of(std::string_view name) const {
        const auto symbol = module_.elf->symbol(name);
        return symbol ? std::optional(TargetAddr{symbol->value} + module_.bias) : std::nullopt;
    }

    [[nodiscard]] std::optional<std::uint64_t> value(std::string_view name,
                                                     std::size_t size) const {
        const auto address = address_of(name);
        return address ? std::optional(memory_.field(*address, {0, size})) : std::nullopt;
    }

    AddressSpace &space_;
    Memory memory_;
    const Module &module_;
    const Layout::Values &constants_;
};

}  // namespace

void prove_constants(AddressSpace &space, const Module &module, const Layout::Values &constants) {
    Proof(space, module, constants).run([](const Proof &proof) { proof.constants(); });
}

int prove_symbols(AddressSpace &space, const Module &module, const Layout::Values &constants,
                  std::span<const NativeThread> threads) {
    return Proof(space, module, constants).run([&](const Proof &proof) {
        proof.constants();
        const Layout layout(constants);
        proof.settings(layout);
        proof.environment();
        return proof.threads(layout, threads);
    });
}

}  // namespace gdb_ompd::llvm
