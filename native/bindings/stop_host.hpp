// SPDX-License-Identifier: Apache-2.0
// What only the debugger knows of a stop, asked of Python: see StopHost in the stub.
#pragma once

#include "stop/stop.hpp"

#include "stacks.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace gdb_ompd {

class PythonStopHost : public StopHost {
public:
    using Given = Typed<"StopHost">;

    explicit PythonStopHost(Given given) : given_(std::move(given)) {}

    [[nodiscard]] Outcome add_runtimes(const std::shared_ptr<AllRuntimes> &runtimes) override;
    [[noreturn]] void fail() override;
    [[nodiscard]] Stacks &stacks() override { return own_stacks().stacks(); }
    [[nodiscard]] std::optional<std::vector<HangReader::Range>> readable_code() override;
    [[nodiscard]] std::optional<bool> is_forked() override;
    [[nodiscard]] bool is_own_memory(std::uint64_t address) override;

    [[nodiscard]] ModelStacks &own_stacks();
    [[nodiscard]] PythonNames &names() { return own_stacks().names(); }

private:
    py::object given_;
    py::object error_;   // why no runtime could be read
    py::object stacks_;  // once they were asked for
};

}  // namespace gdb_ompd
