// SPDX-License-Identifier: Apache-2.0
// Targets for tests: memory made up by the test, and the test's own process.
#pragma once

#include "base/errors.hpp"
#include "base/target.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace gdb_ompd {

// What this "debugger" raises for memory that is not there.
struct Unmapped : std::runtime_error {
    explicit Unmapped(std::uint64_t at)
        : std::runtime_error("cannot access memory at " + std::to_string(at)), address(at) {}
    std::uint64_t address;
};

// What it raises when the user presses Ctrl-C.
struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

class MemoryTarget : public Target {
public:
    void map(std::uint64_t address, std::vector<std::uint8_t> bytes) {
        regions_[address] = std::move(bytes);
    }
    void map_text(std::uint64_t address, const std::string &text) {
        map(address, {text.begin(), text.end()});
    }

    bool read_memory(TargetAddr address, std::span<std::byte> out) override {
        ++reads;
        check_interrupt();
        std::memcpy(out.data(), find(address.value, out.size()), out.size());
        return !short_reads;
    }

    void write_memory(TargetAddr address, std::span<const std::byte> data) override {
        check_interrupt();
        std::memcpy(find(address.value, data.size()), data.data(), data.size());
    }

    std::optional<TargetAddr> thread_pointer(ompd_thread_id_t kind,
                                             std::uint64_t thread_id) override {
        check_interrupt();
        const auto found = threads.find({kind, thread_id});
        return found == threads.end() ? std::nullopt : std::optional(TargetAddr{found->second});
    }

    void print_string(std::string_view text, int category) override {
        check_interrupt();
        printed.emplace_back(std::string(text) + "/" + std::to_string(category));
    }

    int reads = 0;
    bool short_reads = false;
    bool interrupt = false;
    std::map<std::pair<ompd_thread_id_t, std::uint64_t>, std::uint64_t> threads;
    std::vector<std::string> printed;

private:
    void check_interrupt() const {
        if (interrupt) {
            throw Interrupted();
        }
    }

    std::uint8_t *find(std::uint64_t address, std::size_t size) {
        auto after = regions_.upper_bound(address);
        if (after != regions_.begin()) {
            auto &[start, bytes] = *--after;
            if (address - start <= bytes.size() && size <= bytes.size() - (address - start)) {
                return bytes.data() + (address - start);
            }
        }
        throw MemoryUnreadable(std::make_exception_ptr(Unmapped(address)));
    }

    std::map<std::uint64_t, std::vector<std::uint8_t>> regions_;
};

// The process that runs the tests, read as a debugger would.
class SelfTarget : public Target {
public:
    bool read_memory(TargetAddr address, std::span<std::byte> out) override {
        iovec local{out.data(), out.size()};
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address is all a debugger has
        iovec remote{reinterpret_cast<void *>(address.value), out.size()};
        if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) !=
            static_cast<ssize_t>(out.size())) {
            throw MemoryUnreadable(std::make_exception_ptr(Unmapped(address.value)));
        }
        return true;
    }
    void write_memory(TargetAddr address, std::span<const std::byte>) override {
        throw Unmapped(address.value);
    }
    std::optional<TargetAddr> thread_pointer(ompd_thread_id_t, std::uint64_t) override {
        return std::nullopt;
    }
    void print_string(std::string_view, int) override {}
};

}  // namespace gdb_ompd
