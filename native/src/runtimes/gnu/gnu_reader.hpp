// SPDX-License-Identifier: Apache-2.0
// GCC's runtime: what the handles of its OMPD library say, and what that has no word for from
// the runtime's own records.
#pragma once

#include "runtimes/capabilities.hpp"
#include "runtimes/gnu/barriers.hpp"
#include "runtimes/gnu/records.hpp"
#include "runtimes/ompd_reader.hpp"

#include <optional>
#include <unordered_map>

namespace gdb_ompd::gnu {

class GnuReader : public OmpdReader {
public:
    using OmpdReader::OmpdReader;

    const StopFacts &read(std::span<const NativeThread> natives) override;
    void add_around_targets(const FallbackFrames &frames) override;
    std::optional<WaitingTasks> waiting_tasks() override;
    std::vector<ControlVariable> control_variables() override;
    std::optional<Place> place(const NativeThread &thread) override;
    std::shared_ptr<gdb_ompd::Capabilities> capabilities() override;
    void end_stop() noexcept override;

protected:
    // What the library has proved on the runtime's code, which takes a third of a listing's time.
    [[nodiscard]] bool keeps_process() const noexcept override { return true; }
    void read_ahead(std::span<const NativeThread> natives) override;

private:
    [[nodiscard]] std::shared_ptr<gdb_ompd::Capabilities> make_capabilities();
    void forget_strangers();
    void read_leagues();
    // Null where the runtime keeps no league's numbers in threads' records.
    [[nodiscard]] std::unique_ptr<Records> records_of_leagues();
    [[nodiscard]] int root_of(const ThreadFacts &thread) const;
    [[nodiscard]] const Layout *layout();
    // Throws Inconsistent where the runtime's code is not as known.
    [[nodiscard]] const RecordPlaces &places();
    [[nodiscard]] const BarrierPlace &barriers();
    [[nodiscard]] std::vector<std::uint64_t> chain(int gdb_num);

    std::unordered_map<int, std::uint64_t> pointers_;  // by GDB number
    std::shared_ptr<gdb_ompd::Capabilities> capabilities_;
    // Found once: the runtime's code is the same at each stop.
    std::optional<RecordPlaces> places_;
    std::optional<BarrierPlace> barriers_;
};

}  // namespace gdb_ompd::gnu
