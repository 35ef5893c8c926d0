// SPDX-License-Identifier: Apache-2.0
// One mapped runtime of a process: whether it can be asked, what reads it, and its events.
#pragma once

#include "base/target.hpp"
#include "elf/module.hpp"
#include "model/facts.hpp"
#include "runtimes/family.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gdb_ompd {

class AddressSpace;
class Library;
class RuntimeReader;
namespace code {
class CodeMap;
}
namespace gnu {
class EventPlaces;
}
namespace llvm {
class EventReader;
class PrivateFields;
}  // namespace llvm

// What is mapped of a runtime.
struct RuntimeFile {
    std::string name;                      // as the user knows it
    std::shared_ptr<const Module> module;  // null where the file cannot be read
    std::string why_unread;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> code;  // from, to
};

using ConstantsByName = std::map<std::string, std::uint64_t, std::less<>>;

// What was written down when a runtime's symbols were recovered from its code.
struct RecoveredSymbols {
    std::optional<std::string> build_id;
    bool is_layout_verified = false;  // it is a known one, on a machine where that was tried
    ConstantsByName constants;        // what ompd_init() stores
};

// What only the debugger knows of a runtime and its process.
class RuntimeHost {
public:
    RuntimeHost() = default;
    virtual ~RuntimeHost() = default;
    RuntimeHost(const RuntimeHost &) = delete;
    RuntimeHost &operator=(const RuntimeHost &) = delete;

    virtual std::string machine() = 0;  // in ELF's words
    virtual std::vector<NativeThread> threads() = 0;
    // The process whose memory the kernel gives, none where it does not.
    virtual std::optional<int> kernels_process() = 0;
    // Why the debugger has read no symbols of the file, and what to do; none where it has.
    virtual std::optional<std::string> why_not_loaded() = 0;
    // Why they were not recovered, a line for each reason; nothing if that was not tried.
    virtual std::vector<std::string> refusal() = 0;
    // None where what was written down is damaged, or of another version of this extension.
    virtual std::optional<RecoveredSymbols> recovered() = 0;
    // Where a known release with this layout keeps what OMPD does not publish.
    virtual std::optional<llvm::PrivateFields> private_fields(const ConstantsByName &layout) = 0;
    // What was written down of the places of events, by name.
    virtual ConstantsByName event_constants() = 0;
};

// Throws NotServed, NoSymbols, NotInitialized or Inconsistent with the cure.
class Runtime {
public:
    // What is so of all runtimes of a vendor.
    struct Traits {
        std::string kind;
        bool has_switch = false;            // for its events
        bool has_places = false;            // it announces no events: they are places in its code
        std::vector<std::string> machines;  // whose programs are read; any if none is named
        // Functions that stand for events in a runtime without symbols, by event.
        std::map<std::string, std::string> exported_events;
        std::string own_library;  // the OMPD library that comes with this package, "" for none
    };
    struct Version {
        std::optional<std::string> text;
        std::optional<bool> is_layout_verified;
    };

    Runtime(RuntimeFile file, std::shared_ptr<AddressSpace> space,
            std::shared_ptr<RuntimeHost> host);
    virtual ~Runtime();
    Runtime(const Runtime &) = delete;
    Runtime &operator=(const Runtime &) = delete;

    // Those of any vendor's with an OMPD library.
    [[nodiscard]] virtual const Traits &traits() const;
    // What reads the runtime by the library that LOAD gives.
    using Load = std::function<std::shared_ptr<Library>()>;
    std::shared_ptr<RuntimeReader> reader(const Load &load);
    // Whether a script may have handles of the process.
    virtual void check_handles();

    // Events
    [[nodiscard]] virtual std::optional<bool> events_enabled() { return std::nullopt; }
    // Whether it keeps records for tools, as it does while events are on.
    [[nodiscard]] virtual bool keeps_records() { return true; }
    virtual void set_events(bool on);
    // In a runtime that has just started, unless the program was started with OMP_DEBUG.
    virtual void enable_events_at_start() {}
    // Whether it can be read by memory as it is now.
    virtual void check_now() {}
    // Which thread is at a region's event, and the region's team, by the addresses of their
    // records, until the program goes on.
    virtual void set_boundary(TargetAddr /*thread*/, TargetAddr /*team*/) {}
    // Null where the runtime's records are not known.
    [[nodiscard]] virtual std::unique_ptr<llvm::EventReader>
    event_reader(const std::shared_ptr<const code::CodeMap> &code, const Modules &modules);
    // Null where it announces its events.
    [[nodiscard]] virtual std::unique_ptr<gnu::EventPlaces> event_places();

    // Status
    // Whether it names its libraries, as it does once it has started; none where not known.
    [[nodiscard]] virtual std::optional<bool> is_initialized();
    // Whether OMPD's symbols are from "symtab", "debuginfo" or "recovered"; none if nowhere.
    [[nodiscard]] virtual std::optional<std::string> source_of_symbols() { return std::nullopt; }
    [[nodiscard]] virtual Version version(const Versions &said) const;
    // What is to be said of all that is read of it.
    [[nodiscard]] virtual std::vector<std::string> notes() { return {}; }
    // Why the tasks that no thread executes are not known, where they are not.
    [[nodiscard]] virtual std::string tasks_unknown() const;

    // Give back the handles of this stop and forget what was read.
    void end_stop() noexcept;

protected:
    // For a program of a machine that is not served.
    void check_machine() const;
    // Whether the runtime can be asked now, before a library is loaded.
    virtual void check();
    [[nodiscard]] virtual std::shared_ptr<RuntimeReader>
    make_reader(const std::shared_ptr<Library> &library,
                const std::shared_ptr<AddressSpace> &space);
    // Before the first question at a stop.
    virtual void prepare(RuntimeReader & /*reader*/) {}
    [[nodiscard]] bool is_ready() const noexcept { return is_ready_; }
    [[nodiscard]] const RuntimeFile &file() const noexcept { return file_; }
    [[nodiscard]] AddressSpace &space() const noexcept { return *space_; }
    [[nodiscard]] const std::shared_ptr<AddressSpace> &shared_space() const noexcept {
        return space_;
    }
    [[nodiscard]] RuntimeHost &host() const noexcept { return *host_; }
    [[nodiscard]] const std::shared_ptr<RuntimeHost> &shared_host() const noexcept { return host_; }

private:
    RuntimeFile file_;
    std::shared_ptr<AddressSpace> space_;
    std::shared_ptr<RuntimeHost> host_;
    std::shared_ptr<Library> library_;  // that reader_ asks
    std::shared_ptr<RuntimeReader> reader_;
    bool is_ready_ = false;  // at this stop
};

// The runtime of that family in FILE. CORRECTIONS says whether the known faults of libraries are
// put right.
std::unique_ptr<Runtime> make_runtime(Family family, RuntimeFile file,
                                      const std::shared_ptr<AddressSpace> &space,
                                      const std::shared_ptr<RuntimeHost> &host, bool corrections);

}  // namespace gdb_ompd
