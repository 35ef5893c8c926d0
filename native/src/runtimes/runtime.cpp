// SPDX-License-Identifier: Apache-2.0
#include "runtimes/runtime.hpp"

#include "base/errors.hpp"
#include "elf/address_space.hpp"
#include "ompd/library.hpp"
#include "runtimes/gnu/event_places.hpp"
#include "runtimes/gnu/gnu_runtime.hpp"
#include "runtimes/llvm/event_reader.hpp"
#include "runtimes/llvm/llvm_runtime.hpp"
#include "runtimes/llvm/start.hpp"
#include "runtimes/ompd_reader.hpp"

#include <algorithm>

namespace gdb_ompd {

Runtime::Runtime(RuntimeFile file, std::shared_ptr<AddressSpace> space,
                 std::shared_ptr<RuntimeHost> host)
    : file_(std::move(file)), space_(std::move(space)), host_(std::move(host)) {}

Runtime::~Runtime() = default;

const Runtime::Traits &Runtime::traits() const {
    static const Traits traits{
        .kind = "OpenMP runtime with OMPD",
        .machines = {},
        .exported_events = {},
        .own_library = {},
    };
    return traits;
}

void Runtime::check_machine() const {
    const std::vector<std::string> &served = traits().machines;
    const std::string machine = host_->machine();
    if (served.empty() || std::ranges::find(served, machine) != served.end()) {
        return;
    }
    std::string names = served.front();
    for (std::size_t i = 1; i < served.size(); ++i) {
        names += " and " + served[i];
    }
    throw NotServed("this program is for " + machine + ": gdb-ompd reads OpenMP programs for " +
                    names + " only");
}

// A library may keep what it knows of a program by its context: each run has one.
std::shared_ptr<RuntimeReader> Runtime::reader(const Load &load) {
    if (library_ != nullptr && library_->retired()) {
        end_stop();
    }
    if (!is_ready_) {
        check();
        const auto library = load();
        if (reader_ == nullptr || library_ != library) {
            reader_ = make_reader(library, space_->clone());
            library_ = library;
        }
        prepare(*reader_);
        is_ready_ = true;
    }
    return reader_;
}

void Runtime::check() {
    if (!llvm::has_named_libraries(*space_)) {
        throw NotInitialized(
            file_.name + " is not initialised yet: go on to the first OpenMP construct or call");
    }
}

std::shared_ptr<RuntimeReader> Runtime::make_reader(const std::shared_ptr<Library> &library,
                                                    const std::shared_ptr<AddressSpace> &space) {
    return std::make_shared<OmpdReader>(library, space);
}

void Runtime::check_handles() { check(); }

void Runtime::set_events(bool /*on*/) {
    throw NotServed(file_.name + " has no switch that is known: OMP_DEBUG=enabled or disabled in "
                                 "the program's environment is for its whole run");
}

std::unique_ptr<llvm::EventReader>
Runtime::event_reader(const std::shared_ptr<const code::CodeMap> & /*code*/,
                      const Modules & /*modules*/) {
    return nullptr;
}

std::unique_ptr<gnu::EventPlaces> Runtime::event_places() { return nullptr; }

std::optional<bool> Runtime::is_initialized() {
    try {
        return llvm::has_named_libraries(*space_);
    } catch (const Inconsistent &) {
        return std::nullopt;
    } catch (const MemoryUnreadable &) {
        return std::nullopt;
    } catch (const OmpdError &) {  // the target gave too little
        return std::nullopt;
    }
}

Runtime::Version Runtime::version(const Versions &said) const {
    const auto number = said.omp.value;
    return {number ? std::optional("OpenMP " + std::to_string(*number)) : std::nullopt, {}};
}

std::string Runtime::tasks_unknown() const {
    return "Tasks that are not running are not known for this runtime.";
}

void Runtime::end_stop() noexcept {
    if (reader_ != nullptr) {
        reader_->end_stop();
    }
    is_ready_ = false;
    space_->cache().clear();
}

std::unique_ptr<Runtime> make_runtime(Family family, RuntimeFile file,
                                      const std::shared_ptr<AddressSpace> &space,
                                      const std::shared_ptr<RuntimeHost> &host, bool corrections) {
    switch (family) {
    case Family::llvm:
        return std::make_unique<llvm::LlvmRuntime>(std::move(file), space, host, corrections);
    case Family::gnu:
        return std::make_unique<gnu::GnuRuntime>(std::move(file), space, host);
    case Family::other:
        break;
    }
    return std::make_unique<Runtime>(std::move(file), space, host);
}

}  // namespace gdb_ompd
