// SPDX-License-Identifier: Apache-2.0
// LLVM's runtime: it is asked only where its symbols are there, or recovered ones prove to fit.
#pragma once

#include "runtimes/llvm/layout.hpp"
#include "runtimes/llvm/teams.hpp"
#include "runtimes/runtime.hpp"

namespace gdb_ompd::llvm {

class LlvmRuntime : public Runtime {
public:
    LlvmRuntime(RuntimeFile file, std::shared_ptr<AddressSpace> space,
                std::shared_ptr<RuntimeHost> host, bool corrections)
        : Runtime(std::move(file), std::move(space), std::move(host)), corrections_(corrections) {}

    [[nodiscard]] const Traits &traits() const override;
    void check_handles() override;
    [[nodiscard]] std::optional<bool> events_enabled() override;
    [[nodiscard]] bool keeps_records() override;
    void set_events(bool on) override;
    void enable_events_at_start() override;
    void check_now() override;
    void set_boundary(TargetAddr thread, TargetAddr team) override;
    [[nodiscard]] std::unique_ptr<EventReader>
    event_reader(const std::shared_ptr<const code::CodeMap> &code, const Modules &modules) override;
    [[nodiscard]] std::optional<std::string> source_of_symbols() override;
    [[nodiscard]] std::vector<std::string> notes() override;
    [[nodiscard]] std::string tasks_unknown() const override;

protected:
    void check() override { static_cast<void>(checked_layout()); }
    [[nodiscard]] std::shared_ptr<RuntimeReader>
    make_reader(const std::shared_ptr<Library> &library,
                const std::shared_ptr<AddressSpace> &space) override;
    void prepare(RuntimeReader &reader) override;

private:
    [[nodiscard]] const Layout &checked_layout();
    // Throws NoSymbols with the fix where OMPD's symbols are not there.
    void check_symbols();
    // Before the runtime's start and after its end.
    void check_started();
    // Null for symbols that are real.
    [[nodiscard]] const RecoveredSymbols *recovered();
    // A layout of no known version, by what the program does, at every stop.
    void check_sense(const Layout &layout);

    bool corrections_;
    Boundary boundary_;
    std::optional<Layout> layout_;
    std::optional<RecoveredSymbols> recovered_;
    bool are_symbols_real_ = false;
    bool is_proved_ = false;  // by a thread's record
};

}  // namespace gdb_ompd::llvm
