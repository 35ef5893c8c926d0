// SPDX-License-Identifier: Apache-2.0
// Reads any runtime that has an OMPD library, by the handles that the library gives out.
#pragma once

#include "runtimes/ompd_icvs.hpp"
#include "runtimes/ompd_regions.hpp"
#include "runtimes/ompd_tasks.hpp"
#include "runtimes/reader.hpp"

#include <map>
#include <memory>
#include <unordered_map>

namespace gdb_ompd {

class OmpdReader : public RuntimeReader {
public:
    OmpdReader(std::shared_ptr<Library> library, std::shared_ptr<AddressSpace> space);

    const StopFacts &read(std::span<const NativeThread> natives) override;
    std::vector<TaskFacts> tasks(std::span<const int> gdb_nums) override;
    std::vector<TaskFacts> implicit_tasks(int region) override;
    std::vector<IcvFacts> icvs(std::span<const int> gdb_nums,
                               std::span<const int> regions) override;
    SizeIcvs size_icvs(int region) override;
    std::vector<ControlVariable> control_variables() override;
    Versions versions() override;

    std::optional<Place> place(const NativeThread &thread) override;
    bool knows(const NativeThread &thread) override;
    std::vector<Membership> memberships(const NativeThread &thread) override;
    Fact<TaskKind> task_kind(const NativeThread &thread) override;
    Fact<std::string> state(const NativeThread &thread) override;
    std::optional<IcvFacts> icv(const NativeThread &thread, std::string_view name) override;

    void end_stop() noexcept override;
    // The process whose memory the kernel gives, none where it does not.
    void read_from_kernel(std::optional<int> process) noexcept { kernels_process_ = process; }

protected:
    [[nodiscard]] std::optional<int> kernels_process() const noexcept { return kernels_process_; }
    // Whether threads are asked for by LWP: the debugger knows no pthread_t.
    [[nodiscard]] bool asks_by_lwp() const noexcept { return id_kind_ == ompd_thread_id_lwp; }
    [[nodiscard]] AddressSpace &space() const noexcept { return *space_; }
    [[nodiscard]] std::shared_ptr<AddressSpace> shared_space() const noexcept { return space_; }
    // The library's handle of the process, made when it is first asked for at a stop.
    Process &process();
    // Whether that handle is good for all stops, for as long as the same files are mapped.
    [[nodiscard]] virtual bool keeps_process() const noexcept { return false; }
    [[nodiscard]] const IcvTable &icv_table() const noexcept { return icvs_; }
    // The handle of a thread at this stop; null for one that has none.
    [[nodiscard]] const ThreadHandle *handle_of(int gdb_num) const;
    // By the library's enumeration, without the prefix "ompt_state_".
    [[nodiscard]] Fact<std::string> state_name(ompd_word_t number) const;

    // Reads what the library will ask for of these threads, where that saves reads.
    virtual void read_ahead(std::span<const NativeThread> /*natives*/) {}

    // What was read at this stop, for a derived reader to put right.
    StopFacts facts_;

private:
    // The thread's handle; none for a thread that the library does not know. Throws OmpdError
    // where it cannot tell.
    std::unique_ptr<ThreadHandle> find(const Process &process, const NativeThread &thread);
    // The region that the thread is in, null if it is in none or that is not known.
    const ParallelRegions::Region *read_thread(ThreadFacts &facts, const ThreadHandle &handle);
    void read_state(ThreadFacts &facts, const ThreadHandle &handle) const;
    [[nodiscard]] bool is_idle(int gdb_num) const;
    [[nodiscard]] std::optional<int> gdb_num_of(const ThreadHandle &handle) const;
    void read_icv_of(const ThreadHandle &thread, IcvFacts &facts) const;
    // The task whose ICVs of SCOPE are those of TASK: an implicit one where the scope is of these.
    [[nodiscard]] Asked<TaskHandle> owner_in(ompd_scope_t scope, Asked<TaskHandle> task) const;
    void enumerate(const Process &process);

    // A thread by itself, with a handle of the process of its own.
    struct Alone;
    std::optional<Alone> alone(const NativeThread &thread);

    std::shared_ptr<Library> library_;
    std::shared_ptr<AddressSpace> space_;
    std::optional<int> kernels_process_;
    // What the library calls states and ICVs, which it is asked once.
    std::map<ompd_word_t, std::string> states_;
    ompd_rc_t states_code_ = ompd_rc_unavailable;
    IcvTable icvs_;
    // By which kind of number, of which size, the library knows threads.
    ompd_thread_id_t id_kind_ = ompd_thread_id_pthread;
    std::size_t id_size_ = 0;

    // Handles of the stop, given back before the process's.
    std::unique_ptr<Process> process_;
    std::unordered_map<std::uint64_t, int> gdb_nums_;  // by the number that id_kind_ says
    std::unordered_map<int, std::unique_ptr<ThreadHandle>> threads_;
    std::unique_ptr<ParallelRegions> regions_;
    std::unique_ptr<TaskChains> tasks_;
};

}  // namespace gdb_ompd
