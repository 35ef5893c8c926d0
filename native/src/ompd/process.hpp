// SPDX-License-Identifier: Apache-2.0
// An address space handle, and what all handles made from it share.
#pragma once

#include "elf/address_space.hpp"
#include "ompd/library.hpp"

#include <memory>
#include <string>
#include <utility>

namespace gdb_ompd {

// Owns the raw address space handle. Every handle that libompd derived from it
// holds a reference, so it is released after them.
class ProcessCore {
public:
    // PARENT is the process of a device, null for a process. HANDLE is the
    // library's, released exactly once.
    ProcessCore(std::shared_ptr<Library> library, std::shared_ptr<AddressSpace> space,
                std::shared_ptr<ProcessCore> parent, ompd_address_space_handle_t *handle) noexcept;
    ~ProcessCore();
    ProcessCore(const ProcessCore &) = delete;
    ProcessCore &operator=(const ProcessCore &) = delete;

    [[nodiscard]] bool alive() const noexcept {
        return !ended_ && !library_->finalized() && !library_->retired() &&
               (parent_ == nullptr || parent_->alive());
    }
    void end() noexcept { ended_ = true; }

    [[nodiscard]] ompd_address_space_handle_t *handle() const noexcept { return handle_; }
    [[nodiscard]] AddressSpace &space() const noexcept { return *space_; }
    [[nodiscard]] const std::shared_ptr<Library> &library() const noexcept { return library_; }
    [[nodiscard]] const Functions &functions() const noexcept { return library_->functions(); }

    // Refuse a handle that is no longer valid before libompd sees it.
    void require_alive(const char *call) const;

    template <class Signature, class... Arguments>
    [[nodiscard]] Outcome call(const Function<Signature> &function, Arguments... arguments) const {
        return library_->call(function, space_.get(), arguments...);
    }

    // Give a handle back. Not after finalize or a crash: it is gone by then.
    template <class H>
    void release(const Function<ompd_rc_t(H *)> &function, H *handle) const noexcept {
        if (!library_->finalized() && !library_->retired()) {
            static_cast<void>(call(function, handle));
        }
    }

private:
    std::shared_ptr<Library> library_;
    std::shared_ptr<AddressSpace> space_;
    std::shared_ptr<ProcessCore> parent_;
    ompd_address_space_handle_t *handle_;
    bool ended_ = false;
};

}  // namespace gdb_ompd
