// SPDX-License-Identifier: Apache-2.0
// Reads any runtime that has an OMPD library, by the handles that the library gives out.
#pragma once

#include "ompd/handles.hpp"
#include "runtimes/reader.hpp"

#include <map>
#include <memory>

namespace gdb_ompd {

// Orders handles by the library's own compare function, by which alone two handles are
// known to stand for the same region or task.
template <class H> struct ByLibrary {
    bool operator()(const H *one, const H *other) const { return one->compare(*other) < 0; }
};

class OmpdReader : public RuntimeReader {
public:
    OmpdReader(std::shared_ptr<Library> library, std::shared_ptr<AddressSpace> space);
    ~OmpdReader() override;

    const StopFacts &read(std::span<const NativeThread> natives) override;
    std::vector<TaskFacts> tasks(std::span<const int> gdb_nums) override;
    std::vector<TaskFacts> implicit_tasks(int region) override;
    std::vector<IcvFacts> icvs(std::span<const int> gdb_nums,
                               std::span<const int> regions) override;
    std::vector<ControlVariable> control_variables() override;
    Versions versions() override;

    std::optional<Place> place(const NativeThread &thread) override;
    bool knows(const NativeThread &thread) override;
    std::vector<Membership> memberships(const NativeThread &thread) override;
    Fact<TaskKind> task_kind(const NativeThread &thread) override;
    Fact<std::string> state(const NativeThread &thread) override;
    std::optional<IcvFacts> icv(const NativeThread &thread, std::string_view name) override;

    void end_stop() noexcept override;

protected:
    [[nodiscard]] AddressSpace &space() const noexcept { return *space_; }
    // The library's handle of the process, made when it is first asked for at a stop.
    Process &process();
    // Of the library's words, without the prefix "ompt_state_".
    const std::map<ompd_word_t, std::string> &state_names();
    // Each ICV once: what has also a name of OpenMP's own is not listed as "ompd-...".
    const std::vector<IcvName> &icv_names();

    // What was read at this stop, for a derived reader to put right.
    StopFacts facts_;
    // The handle of a thread at this stop; null for one that has none.
    [[nodiscard]] const ThreadHandle *handle_of(int gdb_num) const;

private:
    struct Walk;

    std::shared_ptr<Library> library_;
    std::shared_ptr<AddressSpace> space_;
    std::unique_ptr<Process> process_;
    std::map<ompd_word_t, std::string> states_;
    std::vector<IcvName> icvs_;
    std::unique_ptr<Walk> walk_;
};

}  // namespace gdb_ompd
