// SPDX-License-Identifier: Apache-2.0
// A process of the fake library over memory made up by the test.
#pragma once

#include "fake_libompd.hpp"
#include "memory_target.hpp"
#include "ompd/handles.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

namespace gdb_ompd {

// The code of the OmpdError that BODY throws; ok where it throws nothing.
inline ompd_rc_t code_of(const std::function<void()> &body) {
    try {
        body();
    } catch (const OmpdError &error) {
        return error.code();
    }
    return ompd_rc_ok;
}

// Has NAME in the environment set to VALUE.
class Environment {
public:
    Environment(const char *name, const char *value) : name_(name) { setenv(name, value, 1); }
    ~Environment() { unsetenv(name_); }
    Environment(const Environment &) = delete;
    Environment &operator=(const Environment &) = delete;

private:
    const char *name_;
};

class FakeProcess : public ::testing::Test {
protected:
    using Probe =
        std::function<ompd_rc_t(const ompd_callbacks_t &, ompd_address_space_context_t *)>;

    FakeProcess() { target->map(fake_data_address, std::vector<std::uint8_t>(64)); }

    std::shared_ptr<AddressSpace> make_space(Layout layout = {}) {
        return std::make_shared<AddressSpace>(target, std::move(layout), 4096);
    }

    // Run PROBE as library code and return what the library said.
    ompd_rc_t run(Probe probe) {
        const auto set_probe = reinterpret_cast<FakeSetProbe>(library->symbol("fake_set_probe"));
        set_probe([](const ompd_callbacks_t *callbacks, ompd_address_space_context_t *context,
                     void *data) { return (*static_cast<Probe *>(data))(*callbacks, context); },
                  &probe);
        return code_of([&] { static_cast<void>(process->omp_version()); });
    }

    ompd_word_t fake_icv(ompd_icv_id_t icv_id) {
        return process->icv(icv_id, ompd_scope_address_space);
    }

    void use(std::shared_ptr<AddressSpace> other) {
        space = std::move(other);
        process = Process::initialize(library, space);
    }

    std::shared_ptr<MemoryTarget> target = std::make_shared<MemoryTarget>();
    std::shared_ptr<AddressSpace> space = make_space();
    std::shared_ptr<Library> library = std::make_shared<Library>(FAKE_LIBOMPD);
    std::unique_ptr<Process> process = Process::initialize(library, space);
};

}  // namespace gdb_ompd
