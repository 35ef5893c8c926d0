// SPDX-License-Identifier: Apache-2.0
#include "ompd/process.hpp"

namespace gdb_ompd {

ProcessCore::ProcessCore(std::shared_ptr<Library> library, std::shared_ptr<AddressSpace> space,
                         std::shared_ptr<ProcessCore> parent,
                         ompd_address_space_handle_t *handle) noexcept
    : library_(std::move(library)), space_(std::move(space)), parent_(std::move(parent)),
      handle_(handle) {}

ProcessCore::~ProcessCore() { release(functions().rel_address_space_handle, handle_); }

void ProcessCore::require_alive(const char *call) const {
    if (library_->retired()) {
        throw LibraryFailure(library_->failure());
    }
    if (!alive()) {
        throw OmpdError(call, ompd_rc_stale_handle);
    }
}

}  // namespace gdb_ompd
