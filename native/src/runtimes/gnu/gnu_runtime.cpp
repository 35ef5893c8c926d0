// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/gnu_runtime.hpp"

#include "base/errors.hpp"
#include "elf/address_space.hpp"
#include "runtimes/gnu/event_places.hpp"
#include "runtimes/gnu/gnu_reader.hpp"

namespace gdb_ompd::gnu {

namespace {

// Why the library refuses a libgomp, as it says by print_string: a line that begins so.
std::string reason_in(const std::string &said) {
    constexpr std::string_view begin = "libgompd: this libgomp is not served: ";
    const auto at = said.find(begin);
    if (at == std::string::npos || (at != 0 && said[at - 1] != '\n')) {
        return {};
    }
    const auto from = at + begin.size();
    return " (" + said.substr(from, said.find('\n', from) - from) + ")";
}

}  // namespace

const Runtime::Traits &GnuRuntime::traits() const {
    static const Traits traits{
        .kind = "GNU libgomp",
        .has_places = true,
        .machines = {"x86-64", "aarch64"},
        .exported_events = {},
        .own_library = "libgompd.so",
    };
    return traits;
}

std::shared_ptr<RuntimeReader> GnuRuntime::make_reader(const std::shared_ptr<Library> &library,
                                                       const std::shared_ptr<AddressSpace> &space) {
    readers_space_ = space;
    is_proved_ = false;
    return std::make_shared<GnuReader>(library, space);
}

void GnuRuntime::prepare(RuntimeReader &reader) {
    dynamic_cast<GnuReader &>(reader).read_from_kernel(host().kernels_process());
    if (is_proved_) {
        return;
    }
    const AddressSpace::Hearing hearing(*readers_space_);
    try {
        static_cast<void>(reader.versions());
    } catch (const OmpdError &error) {
        if (error.code() == ompd_rc_unavailable) {
            throw NotInitialized(file().name + " is not loaded yet: go on to the program's main");
        }
        if (error.code() != ompd_rc_incompatible) {
            throw;
        }
        throw NotServed(file().name +
                        " is not served: that its records are those of GCC 9 or "
                        "later on x86-64 or aarch64 cannot be proved on its code" +
                        reason_in(hearing.said()));
    }
    is_proved_ = true;
}

std::optional<bool> GnuRuntime::events_enabled() {
    const auto place = space().symbol_address("ompd_bp_parallel_begin", std::nullopt, std::nullopt);
    return place ? std::optional(true) : std::nullopt;
}

std::unique_ptr<EventPlaces> GnuRuntime::event_places() {
    const std::uint64_t bias = file().module == nullptr ? 0 : file().module->bias;
    return std::make_unique<EventPlaces>(shared_space(), bias, host().event_constants());
}

Runtime::Version GnuRuntime::version(const Versions &said) const {
    const auto &family = said.omp_text.value;
    if (!family) {
        return {};
    }
    return {family, family->find("unverified layout") == std::string::npos};
}

}  // namespace gdb_ompd::gnu
