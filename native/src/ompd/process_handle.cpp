// SPDX-License-Identifier: Apache-2.0
#include "ompd/handles.hpp"

#include <array>
#include <cstring>

namespace gdb_ompd {

namespace {

// No library has nearly as many ICVs or states; this ends a cycle that never says "no more".
constexpr int max_enumerated = 4096;

// ompt_state_undefined, with which an enumeration of states begins.
constexpr ompd_word_t state_undefined = 0x102;

std::shared_ptr<ProcessCore> adopt_process(const Outcome &outcome,
                                           const std::shared_ptr<Library> &library,
                                           const std::shared_ptr<AddressSpace> &space,
                                           const std::shared_ptr<ProcessCore> &parent,
                                           ompd_address_space_handle_t *handle) {
    std::shared_ptr<ProcessCore> core;
    if (outcome.code == ompd_rc_ok && handle != nullptr) {
        core = std::make_shared<ProcessCore>(library, space, parent, handle);
    }
    outcome.check();
    if (core == nullptr) {
        throw OmpdError(outcome.call, ompd_rc_error);
    }
    return core;
}

// For LLVM's library, which prints the number into ten bytes: only what fits may
// reach it.
void check_printable_version(AddressSpace &space, const char *call) {
    constexpr std::uint64_t most = 99'999'999;
    const auto variable = space.symbol_address("__kmp_openmp_version", std::nullopt, std::nullopt);
    if (variable && space.read_uint(*variable, 4) > most) {
        throw OmpdError(call, ompd_rc_error);
    }
}

}  // namespace

std::unique_ptr<Process> Process::initialize(const std::shared_ptr<Library> &library,
                                             const std::shared_ptr<AddressSpace> &space) {
    const auto &function = library->functions().process_initialize;
    if (library->finalized()) {
        throw OmpdError(function.name, ompd_rc_unavailable);
    }
    ompd_address_space_handle_t *handle = nullptr;
    const Outcome outcome = library->call(function, space.get(), space->context(), &handle);
    return std::make_unique<Process>(adopt_process(outcome, library, space, nullptr, handle));
}

std::unique_ptr<Process> Process::device_initialize(const std::shared_ptr<AddressSpace> &space,
                                                    ompd_device_t kind,
                                                    std::string device_id) const {
    const ProcessCore &process = owner("ompd_device_initialize");
    ompd_address_space_handle_t *handle = nullptr;
    const Outcome outcome = process.library()->call(
        process.functions().device_initialize, space.get(), process.handle(), space->context(),
        kind, ompd_size_t{device_id.size()}, static_cast<void *>(device_id.data()), &handle);
    return std::make_unique<Process>(
        adopt_process(outcome, process.library(), space, core_, handle));
}

void Process::end() noexcept {
    if (core_ != nullptr) {
        core_->end();
    }
}

void Process::release() noexcept {
    end();
    core_.reset();
}

const ProcessCore &Process::owner(const char *call) const {
    if (core_ == nullptr) {
        throw OmpdError(call, ompd_rc_stale_handle);
    }
    core_->require_alive(call);
    return *core_;
}

ompd_word_t Process::omp_version() const {
    const ProcessCore &process = owner("ompd_get_omp_version");
    ompd_word_t version = 0;
    process.call(process.functions().get_omp_version, process.handle(), &version).check();
    return version;
}

std::string Process::omp_version_string() const {
    const ProcessCore &process = owner("ompd_get_omp_version_string");
    const auto &function = process.functions().get_omp_version_string;
    if (process.library()->manners() == Manners::llvm) {
        check_printable_version(process.space(), function.name);
    }
    const char *text = nullptr;
    const Outcome outcome = process.call(function, process.handle(), &text);
    const OwnedString owned(text);
    outcome.check();
    return process.library()->text(outcome.call, text);
}

std::unique_ptr<ThreadHandle> Process::thread(ompd_thread_id_t kind, std::uint64_t thread_id,
                                              std::size_t size) const {
    return obtain_thread(kind, thread_id, size).checked();
}

Obtained<ThreadHandle> Process::obtain_thread(ompd_thread_id_t kind, std::uint64_t thread_id,
                                              std::size_t size) const {
    const ProcessCore &process = owner("ompd_get_thread_handle");
    const auto &function = process.functions().get_thread_handle;
    std::array<std::byte, 16> buffer{};
    if (size > buffer.size()) {
        throw OmpdError(function.name, ompd_rc_bad_input);
    }
    if (size == sizeof(std::uint32_t)) {
        const auto narrow = static_cast<std::uint32_t>(thread_id);
        std::memcpy(buffer.data(), &narrow, sizeof narrow);
    } else {
        std::memcpy(buffer.data(), &thread_id, sizeof thread_id);
    }
    ompd_thread_handle_t *made = nullptr;
    const Outcome outcome = process.call(function, process.handle(), kind, ompd_size_t{size},
                                         static_cast<const void *>(buffer.data()), &made);
    return adopt<ThreadHandle>(outcome, made, core_);
}

std::vector<std::string> Process::display_control_vars() const {
    const ProcessCore &process = owner("ompd_get_display_control_vars");
    const char *const *variables = nullptr;
    const Outcome outcome =
        process.call(process.functions().get_display_control_vars, process.handle(), &variables);
    std::vector<std::string> copy;
    if (outcome.code == ompd_rc_ok && variables != nullptr) {
        copy = process.library()->texts(outcome.call, variables, max_enumerated);
        process.call(process.functions().rel_display_control_vars, &variables).check();
    }
    outcome.check();
    return copy;
}

std::map<ompd_word_t, std::string> Process::enumerate_states() const {
    const ProcessCore &process = owner("ompd_enumerate_states");
    const auto &function = process.functions().enumerate_states;
    std::map<ompd_word_t, std::string> states;
    ompd_word_t current = state_undefined;
    for (int i = 0; i < max_enumerated; ++i) {
        const char *name = nullptr;
        ompd_word_t more = 0;
        const Outcome outcome =
            process.call(function, process.handle(), current, &current, &name, &more);
        const OwnedString owned(name);
        outcome.check();
        states.emplace(current, process.library()->text(outcome.call, name));
        if (more == 0) {
            return states;
        }
    }
    throw OmpdError(function.name, ompd_rc_error);
}

std::vector<std::tuple<ompd_icv_id_t, std::string, ompd_scope_t>> Process::enumerate_icvs() const {
    const ProcessCore &process = owner("ompd_enumerate_icvs");
    const auto &function = process.functions().enumerate_icvs;
    std::vector<std::tuple<ompd_icv_id_t, std::string, ompd_scope_t>> icvs;
    ompd_icv_id_t current = ompd_icv_undefined;
    for (int i = 0; i < max_enumerated; ++i) {
        const char *name = nullptr;
        ompd_scope_t scope{};
        int more = 0;
        const Outcome outcome =
            process.call(function, process.handle(), current, &current, &name, &scope, &more);
        const OwnedString owned(name);
        outcome.check();
        icvs.emplace_back(current, process.library()->text(outcome.call, name), scope);
        if (more == 0) {
            return icvs;
        }
    }
    throw OmpdError(function.name, ompd_rc_error);
}

}  // namespace gdb_ompd
