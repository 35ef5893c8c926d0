// SPDX-License-Identifier: Apache-2.0
// The handles that libompd gives out, each with the questions it can answer.
#pragma once

#include "base/memory_blocks.hpp"
#include "ompd/process.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gdb_ompd {

class Handle {
public:
    Handle() = default;
    virtual ~Handle() = default;
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;

    [[nodiscard]] virtual bool valid() const noexcept = 0;
    virtual void release() noexcept = 0;

    // libompd trusts the scope it is given and would take any handle for the
    // scope's kind: SCOPE is checked here.
    [[nodiscard]] ompd_word_t icv(ompd_icv_id_t icv_id, ompd_scope_t scope) const;
    [[nodiscard]] std::pair<ompd_word_t, bool> icv_or_incomplete(ompd_icv_id_t icv_id,
                                                                 ompd_scope_t scope) const;
    [[nodiscard]] std::string icv_string(ompd_icv_id_t icv_id, ompd_scope_t scope) const;
    [[nodiscard]] std::pair<ompd_word_t, TargetAddr> tool_data(ompd_scope_t scope) const;

protected:
    // The process this belongs to; throws OmpdError for CALL unless valid.
    [[nodiscard]] virtual const ProcessCore &owner(const char *call) const = 0;
    [[nodiscard]] virtual void *untyped() const noexcept = 0;
    [[nodiscard]] virtual bool has_scope(ompd_scope_t scope) const noexcept = 0;

private:
    [[nodiscard]] Outcome ask_icv(ompd_icv_id_t icv_id, ompd_scope_t scope,
                                  ompd_word_t &value) const;
    const ProcessCore &owner_in_scope(const char *call, ompd_scope_t scope) const;
};

template <class H> struct HandleTraits;

template <> struct HandleTraits<ompd_thread_handle_t> {
    static constexpr auto release = &Functions::rel_thread_handle;
    static constexpr auto compare = &Functions::thread_handle_compare;
    static constexpr bool has_scope(ompd_scope_t scope) { return scope == ompd_scope_thread; }
};

template <> struct HandleTraits<ompd_parallel_handle_t> {
    static constexpr auto release = &Functions::rel_parallel_handle;
    static constexpr auto compare = &Functions::parallel_handle_compare;
    static constexpr bool has_scope(ompd_scope_t scope) {
        return scope == ompd_scope_parallel || scope == ompd_scope_teams ||
               scope == ompd_scope_target;
    }
};

template <> struct HandleTraits<ompd_task_handle_t> {
    static constexpr auto release = &Functions::rel_task_handle;
    static constexpr auto compare = &Functions::task_handle_compare;
    static constexpr bool has_scope(ompd_scope_t scope) {
        return scope == ompd_scope_implicit_task || scope == ompd_scope_task;
    }
};

template <class H> struct Release {
    std::shared_ptr<const ProcessCore> process;

    void operator()(H *handle) const noexcept {
        process->release(process->functions().*HandleTraits<H>::release, handle);
    }
};

template <class H> using Owned = std::unique_ptr<H, Release<H>>;

// A handle that a call gave out, or why it gave none. That there is none is what each chain ends
// with: no exception, of which 1,000 threads would throw 3,000 to tell their tasks.
template <class H> struct Obtained {
    std::unique_ptr<H> handle;
    const char *call = nullptr;
    ompd_rc_t code = ompd_rc_ok;

    [[nodiscard]] std::unique_ptr<H> checked() && {
        if (handle == nullptr) {
            throw OmpdError(call, code);
        }
        return std::move(handle);
    }
};

// What a call told, or why it told nothing: as usual for some of a runtime's tasks and threads.
template <class T> struct Answered {
    T value;
    const char *call;
    ompd_rc_t code;

    Answered(T told, const Outcome &outcome)
        : value(std::move(told)), call(outcome.call), code(outcome.verdict()) {}

    [[nodiscard]] T checked() && {
        if (code != ompd_rc_ok) {
            throw OmpdError(call, code);
        }
        return std::move(value);
    }
};

// Take over a handle that libompd MADE, even where the call failed after all because of an
// exception, which is thrown again.
template <class H>
Obtained<H> adopt(const Outcome &outcome, typename H::Raw *made,
                  std::shared_ptr<const ProcessCore> process) {
    Owned<typename H::Raw> owned(outcome.code == ompd_rc_ok ? made : nullptr,
                                 Release<typename H::Raw>{std::move(process)});
    if (outcome.failure) {
        outcome.check();
    }
    if (owned == nullptr) {
        const bool says_ok = outcome.code == ompd_rc_ok;
        return {nullptr, outcome.call, says_ok ? ompd_rc_error : outcome.code};
    }
    return {std::make_unique<H>(std::move(owned)), outcome.call, ompd_rc_ok};
}

// A handle below a process. It keeps the process, not the handle it came from:
// a chain of a million generating tasks must not be destroyed recursively.
template <class H> class ChildHandle : public Handle {
public:
    using Raw = H;

    explicit ChildHandle(Owned<H> owned) : owned_(std::move(owned)) {}

    [[nodiscard]] bool valid() const noexcept override {
        return owned_ != nullptr && owned_.get_deleter().process->alive();
    }
    // Lets go of the process, too.
    void release() noexcept override { owned_ = Owned<H>(); }

    // What libompd says: negative, 0 or positive.
    [[nodiscard]] int compare(const ChildHandle &other) const {
        constexpr const char *call = (function_names.*HandleTraits<H>::compare).name;
        if (owner(call).library() != other.owner(call).library()) {
            throw OmpdError(call, ompd_rc_bad_input);
        }
        int order = 0;
        ask(HandleTraits<H>::compare, other.owned_.get(), &order).check();
        return order;
    }

    // Call FUNCTION, whose last parameter gives out a new handle, one of class N.
    template <class N, class Signature, class... Arguments>
    [[nodiscard]] Obtained<N> obtain(Function<Signature> Functions::*function,
                                     Arguments... arguments) const {
        typename N::Raw *made = nullptr;
        const Outcome outcome = ask(function, arguments..., &made);
        return adopt<N>(outcome, made, owned_.get_deleter().process);
    }

protected:
    [[nodiscard]] const ProcessCore &owner(const char *call) const override {
        if (owned_ == nullptr) {
            throw OmpdError(call, ompd_rc_stale_handle);
        }
        owned_.get_deleter().process->require_alive(call);
        return *owned_.get_deleter().process;
    }
    [[nodiscard]] void *untyped() const noexcept override { return owned_.get(); }
    [[nodiscard]] bool has_scope(ompd_scope_t scope) const noexcept override {
        return HandleTraits<H>::has_scope(scope);
    }
    // Call FUNCTION on this handle.
    template <class Signature, class... Arguments>
    [[nodiscard]] Outcome ask(Function<Signature> Functions::*function,
                              Arguments... arguments) const {
        const ProcessCore &process = owner((function_names.*function).name);
        return process.call(process.functions().*function, owned_.get(), arguments...);
    }

private:
    Owned<H> owned_;
};

class ParallelHandle;
class TaskHandle;

class ThreadHandle : public ChildHandle<ompd_thread_handle_t> {
public:
    using ChildHandle::ChildHandle;

    [[nodiscard]] std::uint64_t thread_id(ompd_thread_id_t kind, std::size_t size) const;
    using State = std::pair<ompd_word_t, ompd_wait_id_t>;
    [[nodiscard]] Answered<State> ask_state() const;
    [[nodiscard]] State state() const { return ask_state().checked(); }
    [[nodiscard]] std::unique_ptr<ParallelHandle> curr_parallel() const;
    [[nodiscard]] std::unique_ptr<TaskHandle> curr_task() const;
};

class ParallelHandle : public ChildHandle<ompd_parallel_handle_t> {
public:
    using ChildHandle::ChildHandle;

    [[nodiscard]] std::unique_ptr<ParallelHandle> enclosing_parallel() const;
    [[nodiscard]] std::unique_ptr<ThreadHandle> thread_in_parallel(int thread_num) const;
    [[nodiscard]] std::unique_ptr<TaskHandle> task_in_parallel(int thread_num) const;
};

struct TaskFrame {
    TargetAddr address;
    ompd_word_t flags = 0;
};

class TaskHandle : public ChildHandle<ompd_task_handle_t> {
public:
    using ChildHandle::ChildHandle;

    [[nodiscard]] std::unique_ptr<ParallelHandle> task_parallel() const;
    [[nodiscard]] std::unique_ptr<TaskHandle> generating_task() const;
    [[nodiscard]] std::unique_ptr<TaskHandle> scheduling_task() const;
    using Frames = std::pair<TaskFrame, TaskFrame>;  // exit, enter
    [[nodiscard]] Answered<TargetAddr> ask_function() const;
    [[nodiscard]] TargetAddr function() const { return ask_function().checked(); }
    [[nodiscard]] Answered<Frames> ask_frame() const;
    [[nodiscard]] Frames frame() const { return ask_frame().checked(); }
};

class Process : public Handle {
public:
    static std::unique_ptr<Process> initialize(const std::shared_ptr<Library> &library,
                                               const std::shared_ptr<AddressSpace> &space);

    explicit Process(std::shared_ptr<ProcessCore> core) : core_(std::move(core)) {}
    ~Process() override { release(); }
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;

    [[nodiscard]] bool valid() const noexcept override {
        return core_ != nullptr && core_->alive();
    }
    // The raw handle goes once the last handle made from it is gone.
    void release() noexcept override;
    void end() noexcept;

    [[nodiscard]] std::unique_ptr<Process>
    device_initialize(const std::shared_ptr<AddressSpace> &space, ompd_device_t kind,
                      std::string device_id) const;
    [[nodiscard]] ompd_word_t omp_version() const;
    [[nodiscard]] std::string omp_version_string() const;
    [[nodiscard]] std::unique_ptr<ThreadHandle>
    thread(ompd_thread_id_t kind, std::uint64_t thread_id, std::size_t size) const;
    [[nodiscard]] Obtained<ThreadHandle>
    obtain_thread(ompd_thread_id_t kind, std::uint64_t thread_id, std::size_t size) const;
    [[nodiscard]] std::vector<std::string> display_control_vars() const;
    [[nodiscard]] std::map<ompd_word_t, std::string> enumerate_states() const;
    [[nodiscard]] std::vector<std::tuple<ompd_icv_id_t, std::string, ompd_scope_t>>
    enumerate_icvs() const;

protected:
    [[nodiscard]] const ProcessCore &owner(const char *call) const override;
    [[nodiscard]] void *untyped() const noexcept override { return core_->handle(); }
    [[nodiscard]] bool has_scope(ompd_scope_t scope) const noexcept override {
        return scope == ompd_scope_global || scope == ompd_scope_address_space;
    }

private:
    std::shared_ptr<ProcessCore> core_;
};

}  // namespace gdb_ompd
