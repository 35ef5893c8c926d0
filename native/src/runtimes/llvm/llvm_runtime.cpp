// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/llvm_runtime.hpp"

#include "base/errors.hpp"
#include "code/entry_table.hpp"
#include "elf/address_space.hpp"
#include "runtimes/llvm/event_reader.hpp"
#include "runtimes/llvm/llvm_reader.hpp"
#include "runtimes/llvm/proof.hpp"
#include "runtimes/llvm/start.hpp"
#include "runtimes/llvm/walk.hpp"

#include <algorithm>

namespace gdb_ompd::llvm {

namespace {

// One of the symbols that OMPD needs stands for all: they come from one source.
constexpr const char *stands_for_all = "ompd_state";
// The recovery's word for a runtime that debug symbols would not help.
constexpr const char *no_ompd = "the library was built without OMPD support";
constexpr const char *get_debug_symbols = "debuginfod, or the package libomp5-VERSION-dbgsym";

std::string joined(const std::vector<std::string> &lines) {
    std::string all;
    for (const std::string &line : lines) {
        all += (all.empty() ? "" : "; ") + line;
    }
    return all;
}

std::string stripped(const std::string &file, const std::vector<std::string> &refusal) {
    const std::string why =
        refusal.empty() ? "" : ", and they cannot be recovered (" + joined(refusal) + ")";
    return file + " is stripped of the symbols that OMPD needs" + why +
           ": install its debug symbols (" + get_debug_symbols +
           "), or use a runtime built with symbols ('sh scripts/build-libomp.sh 19' makes one)";
}

}  // namespace

// What is exported by stripped runtimes, too, is where a region begins, for clang's code and GCC's.
// Nothing that is exported is called at the other events.
const Runtime::Traits &LlvmRuntime::traits() const {
    static const Traits traits{
        .kind = "LLVM libomp",
        .has_switch = true,
        .machines = {"x86-64", "aarch64"},
        .exported_events = {{"parallel-begin", std::string(code::names_with("forks").front())}},
        .own_library = {},
    };
    return traits;
}

const Layout &LlvmRuntime::checked_layout() {
    if (!layout_) {
        check_symbols();
    }
    check_started();
    const RecoveredSymbols *const symbols = recovered();
    if (symbols != nullptr && !is_proved_) {
        const auto threads = host().threads();
        is_proved_ = prove_symbols(space(), *file().module, symbols->constants, threads) > 0;
    }
    if (!layout_) {
        layout_ = Layout::read(space());
    }
    if (symbols != nullptr && !symbols->is_layout_verified) {
        check_sense(*layout_);
    }
    return *layout_;
}

void LlvmRuntime::check_symbols() {
    check_machine();
    const std::string &name = file().name;
    if (file().module == nullptr) {
        throw NoSymbols(name + " cannot be read: " + file().why_unread);
    }
    MissingSymbols missing;
    try {
        missing = missing_symbols(*file().module->elf);
    } catch (const std::invalid_argument &error) {  // damaged, or replaced since it was mapped
        throw NoSymbols("the symbols of " + name + " cannot be read: " + error.what());
    }
    if (missing.names.empty()) {
        return;
    }
    const std::vector<std::string> refusal = host().refusal();
    if (std::ranges::find(refusal, no_ompd) != refusal.end()) {
        throw NoSymbols(name + " was built without OMPD support: use another libomp, such as the "
                               "distribution's, or one that 'sh scripts/build-libomp.sh 19' makes");
    }
    if (missing.is_stripped) {
        if (const auto why = host().why_not_loaded()) {
            throw NoSymbols("GDB has read no symbols of " + name + ": " + *why);
        }
        throw NoSymbols(stripped(name, refusal));
    }
    throw NoSymbols(name + " lacks " + std::to_string(missing.names.size()) +
                    " of the symbols that OMPD needs (such as " + missing.names.front() +
                    "): it was built without OMPD support, or is of another version than LLVM 14 "
                    "to 24");
}

void LlvmRuntime::check_started() {
    const KernelReads reads(space().cache(), host().kernels_process());
    switch (runtime_state(space())) {
    case RuntimeState::before_start:
        throw NotInitialized(
            file().name + " is not initialised yet: go on to the first OpenMP construct or call");
    case RuntimeState::unstarted:
        throw NotInitialized(file().name + " is still starting, or has shut down: stop in an "
                                           "OpenMP construct");
    case RuntimeState::ended:
        throw NotInitialized(file().name + " has shut down: the program is exiting");
    case RuntimeState::running:
        return;
    }
}

std::optional<std::string> LlvmRuntime::source_of_symbols() {
    try {
        const auto *const elf = file().module == nullptr ? nullptr : file().module->elf.get();
        const auto symbol = elf == nullptr ? std::nullopt : elf->symbol(stands_for_all);
        return symbol ? std::optional(std::string(text(symbol->source))) : std::nullopt;
    } catch (const std::invalid_argument &) {
        return std::nullopt;  // damaged, or replaced since the program started
    }
}

const RecoveredSymbols *LlvmRuntime::recovered() {
    if (are_symbols_real_ || file().module == nullptr) {
        return nullptr;
    }
    if (!recovered_) {
        if (source_of_symbols() != "recovered") {
            are_symbols_real_ = true;
            return nullptr;
        }
        const ElfImage &elf = *file().module->elf;
        recovered_ = host().recovered();
        if (!recovered_ || recovered_->build_id != elf.headers().build_id) {
            recovered_.reset();
            throw NoSymbols("the recovered symbols in " + elf.debug_path().value_or("") +
                            " are damaged, or were made by another version of gdb-ompd: remove "
                            "that file");
        }
    }
    return &*recovered_;
}

void LlvmRuntime::check_sense(const Layout &layout) {
    const auto threads = host().threads();
    const Walk walk = walk_records(space(), layout, threads);
    const std::string unknown = file().module->name + " has a layout of no known version";
    if (walk.checked == 0 && walk.violations.empty()) {
        throw NotInitialized(unknown + ", and no thread in a team to check it by: go on into a "
                                       "parallel region");
    }
    if (!walk.violations.empty()) {
        throw Inconsistent(unknown + ", which does not fit the program (" +
                           walk.violations.front() + "): its debug symbols are needed (" +
                           get_debug_symbols + ")");
    }
}

std::shared_ptr<RuntimeReader>
LlvmRuntime::make_reader(const std::shared_ptr<Library> &library,
                         const std::shared_ptr<AddressSpace> &space) {
    auto reader = std::make_shared<LlvmReader>(library, space);
    // It is asked once, when that is needed.
    reader->set_records(
        file().code, [host = shared_host(), module = file().module, layout = layout_->values()]() {
            auto known = PrivateFields::of_debug_information(*module->elf);
            return known ? known : host->private_fields(layout);
        });
    return reader;
}

void LlvmRuntime::prepare(RuntimeReader &reader) {
    auto &own = dynamic_cast<LlvmReader &>(reader);
    own.set_corrections(corrections_);
    own.set_boundary(boundary_);
    own.read_from_kernel(host().kernels_process());
}

void LlvmRuntime::check_handles() { check_settings(space(), checked_layout()); }

std::optional<bool> LlvmRuntime::events_enabled() {
    static_cast<void>(checked_layout());
    return llvm::events_enabled(space());
}

bool LlvmRuntime::keeps_records() {
    static_cast<void>(checked_layout());
    return llvm::keeps_records(space());
}

void LlvmRuntime::set_events(bool on) {
    static_cast<void>(checked_layout());
    if (on) {
        enable_events(space());
    } else {
        disable_events(space());
    }
}

void LlvmRuntime::enable_events_at_start() {
    if (was_started_with(space(), "OMP_DEBUG")) {
        return;
    }
    check_symbols();
    if (const RecoveredSymbols *const symbols = recovered()) {
        prove_constants(space(), *file().module, symbols->constants);
    }
    enable_events(space());
}

void LlvmRuntime::check_now() {
    space().cache().clear();
    static_cast<void>(checked_layout());
}

void LlvmRuntime::set_boundary(TargetAddr thread, TargetAddr team) {
    const Boundary boundary{thread, team};
    if (boundary != boundary_) {
        boundary_ = boundary;
        end_stop();
    }
}

std::unique_ptr<EventReader>
LlvmRuntime::event_reader(const std::shared_ptr<const code::CodeMap> &code,
                          const Modules &modules) {
    const Layout &layout = layout_ ? *layout_ : checked_layout();
    return std::make_unique<EventReader>(shared_space(), layout, modules, code);
}

std::vector<std::string> LlvmRuntime::notes() {
    const RecoveredSymbols *const symbols = recovered();
    if (symbols == nullptr || symbols->is_layout_verified) {
        return {};
    }
    return {"Unverified layout: the symbols were recovered from a runtime of no known version, and "
            "checked against what runs at this stop only."};
}

std::string LlvmRuntime::tasks_unknown() const {
    return "Tasks that are not running are not known: " + file().name +
           " has no debug symbols, and is not of a version whose records of tasks are known.";
}

}  // namespace gdb_ompd::llvm
