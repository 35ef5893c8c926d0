// SPDX-License-Identifier: Apache-2.0
// GCC's runtime: the OMPD library of this package proves on its code that it can be read.
#pragma once

#include "runtimes/runtime.hpp"

namespace gdb_ompd::gnu {

class GnuRuntime : public Runtime {
public:
    using Runtime::Runtime;

    [[nodiscard]] const Traits &traits() const override;
    void check_handles() override { check_machine(); }
    // They need no switch: they are on where their places are known by names.
    [[nodiscard]] std::optional<bool> events_enabled() override;
    [[nodiscard]] std::unique_ptr<EventPlaces> event_places() override;
    // Nothing that it has tells: the library says why it does not serve the runtime.
    [[nodiscard]] std::optional<bool> is_initialized() override { return std::nullopt; }
    [[nodiscard]] Version version(const Versions &said) const override;

protected:
    void check() override { check_machine(); }
    [[nodiscard]] std::shared_ptr<RuntimeReader>
    make_reader(const std::shared_ptr<Library> &library,
                const std::shared_ptr<AddressSpace> &space) override;
    void prepare(RuntimeReader &reader) override;

private:
    std::shared_ptr<AddressSpace> readers_space_;
    bool is_proved_ = false;  // the reader has served the runtime
};

}  // namespace gdb_ompd::gnu
