// SPDX-License-Identifier: Apache-2.0
// The address space context of OMPD: a target's memory, symbols and types.
#pragma once

#include "base/page_cache.hpp"
#include "base/target.hpp"
#include "elf/module.hpp"

#include <array>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace gdb_ompd {
class AddressSpace;
}

// What libompd holds of us. Neither kind is ever handed out twice for different
// things while libompd may remember it: it keys its caches by these pointers.
struct ompd_address_space_context_t {
    gdb_ompd::AddressSpace *space;  // null once the address space is gone
};

struct ompd_thread_context_t {
    std::optional<gdb_ompd::TargetAddr> thread_pointer;
};

namespace gdb_ompd {

// Where a symbol is looked for that no file is named for. Either in the runtime that the address
// space is about or, as OMPD has it, in the order in which files were loaded.
enum class SearchOrder { home_first, load_order };

// How the target lays out data.
struct Layout {
    std::string machine = "x86-64";
    std::endian byte_order = std::endian::little;
    ompd_device_type_sizes_t type_sizes{1, 2, 4, 8, 8, 8};
};

class AddressSpace {
public:
    AddressSpace(std::shared_ptr<Target> target, Layout layout, std::size_t cache_line);
    ~AddressSpace();
    AddressSpace(const AddressSpace &) = delete;
    AddressSpace &operator=(const AddressSpace &) = delete;

    // Another context over the same memory, with a copy of the module list.
    [[nodiscard]] std::shared_ptr<AddressSpace> clone() const;

    void set_modules(Modules modules, const std::optional<std::string> &home);

    // Throws MemoryUnreadable, or OmpdError where the target gave too little.
    void read(TargetAddr address, std::span<std::byte> out);
    // Fill OUT; false where memory cannot be read.
    [[nodiscard]] bool can_read(TargetAddr address, std::span<std::byte> out);
    // The same number as read_uint; none where memory cannot be read.
    [[nodiscard]] std::optional<std::uint64_t> uint_at(TargetAddr address, std::size_t size);
    // As read, where nothing near it will be asked for.
    void read_exactly(TargetAddr address, std::span<std::byte> out);
    void write(TargetAddr address, std::span<const std::byte> data);
    // The unsigned number that BYTES are in the target's byte order, at most 8 of them.
    [[nodiscard]] std::uint64_t to_uint(std::span<const std::byte> bytes) const;
    // SIZE is 1, 2, 4 or 8.
    [[nodiscard]] std::uint64_t read_uint(TargetAddr address, std::size_t size);
    [[nodiscard]] TargetAddr read_pointer(TargetAddr address);
    // Copy up to and including the NUL; returns the bytes copied, OUT's size
    // where there is no NUL in them.
    std::size_t read_string(TargetAddr address, std::span<std::byte> out);

    // ORDER says whether the home is searched before the executable; it is, if FILE is its name.
    [[nodiscard]] std::optional<TargetAddr>
    symbol_address(std::string_view name, const std::optional<std::string> &file,
                   const std::optional<TargetAddr> &thread_pointer,
                   SearchOrder order = SearchOrder::home_first);

    // Whether a thread has used no thread-local variable of the home yet, by which a runtime knows
    // its threads. False where that is not known.
    [[nodiscard]] bool has_not_used_home(TargetAddr thread_pointer);

    // The pointer to its own storage of a thread that there is, none where its pthread_t
    // does not tell it.
    [[nodiscard]] std::optional<TargetAddr> pthread_pointer(std::uint64_t pthread_id) const;
    // These are the pthread_t of threads that there are, until others are set: for them the
    // debugger need not be asked.
    void set_pthreads(std::unordered_set<std::uint64_t> pthread_ids) {
        pthreads_ = std::move(pthread_ids);
    }
    // The context of a native thread, the same one each time; null if there is
    // no such thread. It lives as long as the address space.
    ompd_thread_context_t *thread_context(ompd_thread_id_t kind, std::uint64_t thread_id);
    [[nodiscard]] bool owns(const ompd_thread_context_t *thread) const {
        return known_threads_.contains(thread);
    }

    // While it exists, what a library says by print_string is kept instead of printed.
    class Hearing {
    public:
        explicit Hearing(AddressSpace &space)
            : space_(space), before_(std::exchange(space.heard_, &said_)) {}
        ~Hearing() { space_.heard_ = before_; }
        Hearing(const Hearing &) = delete;
        Hearing &operator=(const Hearing &) = delete;
        [[nodiscard]] const std::string &said() const noexcept { return said_; }

    private:
        AddressSpace &space_;
        std::string *before_;
        std::string said_;
    };
    void print_string(std::string_view text, int category);

    [[nodiscard]] ompd_address_space_context_t *context() const noexcept { return context_; }
    [[nodiscard]] const Layout &layout() const noexcept { return layout_; }
    [[nodiscard]] Target &target() const noexcept { return cache_->target(); }
    [[nodiscard]] PageCache &cache() const noexcept { return *cache_; }

private:
    AddressSpace(std::shared_ptr<PageCache> cache, Layout layout);

    // As Target::read_memory.
    bool try_read(TargetAddr address, std::span<std::byte> out);

    ompd_address_space_context_t *context_;
    std::shared_ptr<PageCache> cache_;
    Layout layout_;
    Modules modules_;
    std::string home_;  // a path, or ""
    Modules home_first_;
    std::map<std::pair<ompd_thread_id_t, std::uint64_t>, ompd_thread_context_t> threads_;
    std::unordered_set<const ompd_thread_context_t *> known_threads_;
    std::unordered_set<std::uint64_t> pthreads_;
    std::string *heard_ = nullptr;
};

}  // namespace gdb_ompd
