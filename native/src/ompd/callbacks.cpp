// SPDX-License-Identifier: Apache-2.0
#include "ompd/callbacks.hpp"

#include "base/byte_order.hpp"
#include "base/errors.hpp"
#include "base/memory_blocks.hpp"
#include "elf/address_space.hpp"
#include "ompd/call.hpp"

#include <cstring>

namespace gdb_ompd {

namespace {

// Guards for every library: nothing is mapped at these addresses, where LLVM's goes on
// after some failures; and no more is moved than the biggest block that is lent.
constexpr std::uint64_t lowest_address = 4096;
constexpr ompd_size_t max_transfer = max_block_bytes;
// For LLVM's library: all its variables are scalars.
constexpr ompd_size_t largest_scalar = 8;

// What the library is told of memory that cannot be accessed. LLVM's would answer
// with what it makes of address 0: its call ends with the failure, and what was asked for is
// unknown. Any other library may ask where memory ends, and go on.
ompd_rc_t unreadable(Call &call, const MemoryUnreadable &failure) noexcept {
    if (call.manners() == Manners::llvm) {
        call.fail(std::make_exception_ptr(failure));
    }
    return ompd_rc_error;
}

// Why a callback may not do its work, ok where it may.
ompd_rc_t admitted(const ompd_address_space_context_t *context) noexcept {
    if (context == nullptr) {
        return ompd_rc_bad_input;
    }
    if (context->space == nullptr) {
        return ompd_rc_stale_handle;
    }
    Call *call = Call::current();
    return call != nullptr && call->admits_callback() ? ompd_rc_ok : ompd_rc_callback_error;
}

// Run BODY, a callback's work, so that no exception leaves the callback: the
// library could not handle one. The call that led here rethrows it.
template <class Body>
ompd_rc_t guarded(ompd_address_space_context_t *context, Body &&body) noexcept {
    const ompd_rc_t refusal = admitted(context);
    if (refusal != ompd_rc_ok) {
        return refusal;
    }
    Call *const call = Call::current();
    const Call::Callback outside(*call);
    try {
        return body(*context->space);
    } catch (const OmpdError &refusal) {
        return refusal.code();
    } catch (const MemoryUnreadable &failure) {
        return unreadable(*call, failure);
    } catch (...) {
        call->fail(std::current_exception());
        return ompd_rc_callback_error;
    }
}

bool belongs(const AddressSpace &space, const ompd_thread_context_t *thread) {
    return thread == nullptr || space.owns(thread);
}

// The checks that every transfer shares; ok means "go on".
ompd_rc_t check_transfer(const AddressSpace &space, const ompd_thread_context_t *thread,
                         const ompd_address_t *address, ompd_size_t size, const void *buffer) {
    if (address == nullptr || (buffer == nullptr && size != 0) || !belongs(space, thread)) {
        return ompd_rc_bad_input;
    }
    if (address->segment != ompd_segment_none) {
        return ompd_rc_bad_input;  // a host has no segments
    }
    if (address->address < lowest_address || size > max_transfer) {
        return ompd_rc_error;
    }
    return ompd_rc_ok;
}

// Whether SIZE bytes may be put where the library wants them. For every library: a
// block that begins there has that many, and so has its part of the stack. For LLVM's,
// which reads as many bytes as the target says: a variable on the stack is a scalar.
bool fits(const void *buffer, ompd_size_t size) {
    if (size <= largest_scalar) {
        return true;
    }
    if (const auto block = block_size(buffer)) {
        return size <= *block;
    }
    const Call &call = *Call::current();
    const auto room = call.room_on_stack(buffer);
    return !room || (call.manners() != Manners::llvm && size <= *room);
}

ompd_rc_t cb_alloc_memory(ompd_size_t nbytes, void **ptr) noexcept {
    if (ptr == nullptr) {
        return ompd_rc_bad_input;
    }
    *ptr = nullptr;
    Call *call = Call::current();
    if (call != nullptr && !call->admits_callback()) {
        return ompd_rc_nomem;
    }
    const JumpPoint::Outside outside;
    *ptr = allocate_block(nbytes, call == nullptr ? 0 : call->owner());
    return *ptr == nullptr ? ompd_rc_nomem : ompd_rc_ok;
}

// Always admitted but counted: a library gives back what it has after a failure.
ompd_rc_t cb_free_memory(void *ptr) noexcept {
    Call *call = Call::current();
    if (call != nullptr) {
        static_cast<void>(call->admits_callback());
    }
    if (ptr == nullptr) {
        return ompd_rc_ok;
    }
    const JumpPoint::Outside outside;
    const Returned returned = free_block(ptr);
    if (returned == Returned::overrun && call != nullptr) {
        call->note_overrun();
    }
    return returned == Returned::unknown ? ompd_rc_bad_input : ompd_rc_ok;
}

ompd_rc_t cb_print_string(const char *string, int category) noexcept {
    Call *call = Call::current();
    if (string == nullptr) {
        return ompd_rc_bad_input;
    }
    if (call == nullptr) {
        return ompd_rc_callback_error;
    }
    if (call->space() == nullptr) {
        if (!call->admits_callback()) {
            return ompd_rc_callback_error;
        }
        call->trap().append(string);
        return ompd_rc_ok;
    }
    return guarded(call->space()->context(), [&](AddressSpace &space) {
        space.print_string(string, category);
        return ompd_rc_ok;
    });
}

ompd_rc_t cb_sizeof_type(ompd_address_space_context_t *context,
                         ompd_device_type_sizes_t *sizes) noexcept {
    return guarded(context, [&](AddressSpace &space) {
        if (sizes == nullptr) {
            return ompd_rc_bad_input;
        }
        *sizes = space.layout().type_sizes;
        return ompd_rc_ok;
    });
}

ompd_rc_t cb_symbol_addr_lookup(ompd_address_space_context_t *context,
                                ompd_thread_context_t *thread, const char *symbol_name,
                                ompd_address_t *symbol_addr, const char *file_name) noexcept {
    if (symbol_addr == nullptr) {
        return ompd_rc_bad_input;
    }
    // libompd ignores some failures and reads whatever stands here.
    *symbol_addr = {ompd_segment_none, 0};
    return guarded(context, [&](AddressSpace &space) {
        if (symbol_name == nullptr || !belongs(space, thread)) {
            return ompd_rc_bad_input;
        }
        const auto file =
            file_name == nullptr ? std::nullopt : std::optional<std::string>(file_name);
        // LLVM's library never names the file, and may be asked about one of two runtimes.
        const auto order = Call::current()->manners() == Manners::llvm ? SearchOrder::home_first
                                                                       : SearchOrder::load_order;
        const auto found = space.symbol_address(
            symbol_name, file, thread == nullptr ? std::nullopt : thread->thread_pointer, order);
        if (!found) {
            return ompd_rc_error;
        }
        symbol_addr->address = found->value;
        return ompd_rc_ok;
    });
}

ompd_rc_t cb_read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                         const ompd_address_t *addr, ompd_size_t nbytes, void *buffer) noexcept {
    return guarded(context, [&](AddressSpace &space) {
        ompd_rc_t checked = check_transfer(space, thread, addr, nbytes, buffer);
        if (checked == ompd_rc_ok && !fits(buffer, nbytes)) {
            checked = ompd_rc_bad_input;
        }
        if (checked == ompd_rc_ok) {
            space.read(TargetAddr{addr->address}, {static_cast<std::byte *>(buffer), nbytes});
        }
        return checked;
    });
}

ompd_rc_t cb_write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                          const ompd_address_t *addr, ompd_size_t nbytes,
                          const void *buffer) noexcept {
    return guarded(context, [&](AddressSpace &space) {
        const ompd_rc_t checked = check_transfer(space, thread, addr, nbytes, buffer);
        if (checked == ompd_rc_ok) {
            space.write(TargetAddr{addr->address},
                        {static_cast<const std::byte *>(buffer), nbytes});
        }
        return checked;
    });
}

ompd_rc_t cb_read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                         const ompd_address_t *addr, ompd_size_t nbytes, void *buffer) noexcept {
    return guarded(context, [&](AddressSpace &space) {
        const ompd_rc_t checked = check_transfer(space, thread, addr, nbytes, buffer);
        if (checked != ompd_rc_ok) {
            return checked;
        }
        const std::span<std::byte> out{static_cast<std::byte *>(buffer), nbytes};
        const std::size_t size = space.read_string(TargetAddr{addr->address}, out);
        return size != 0 && out[size - 1] == std::byte{0} ? ompd_rc_ok : ompd_rc_incomplete;
    });
}

ompd_rc_t cb_device_host(ompd_address_space_context_t *context, const void *input,
                         ompd_size_t unit_size, ompd_size_t count, void *output) noexcept {
    // As if the library did it: a pointer of its that leads nowhere is its own fault, and nothing
    // here needs a destructor. A third of all callbacks are this one.
    const ompd_rc_t refusal = admitted(context);
    return refusal != ompd_rc_ok ? refusal
                                 : convert_byte_order(context->space->layout().byte_order, input,
                                                      unit_size, count, output);
}

ompd_rc_t cb_get_thread_context_for_thread_id(ompd_address_space_context_t *context,
                                              ompd_thread_id_t kind, ompd_size_t sizeof_thread_id,
                                              const void *thread_id,
                                              ompd_thread_context_t **thread_context) noexcept {
    return guarded(context, [&](AddressSpace &space) {
        if (thread_id == nullptr || thread_context == nullptr) {
            return ompd_rc_bad_input;
        }
        *thread_context = nullptr;
        const bool pthread = kind == ompd_thread_id_pthread;
        if (!pthread && kind != ompd_thread_id_lwp) {
            return ompd_rc_unsupported;
        }
        const bool fits = pthread ? sizeof_thread_id == space.layout().type_sizes.sizeof_pointer
                                  : sizeof_thread_id == 4 || sizeof_thread_id == 8;
        if (!fits) {
            return ompd_rc_bad_input;
        }
        std::uint32_t narrow = 0;
        std::uint64_t id = 0;
        if (sizeof_thread_id == sizeof narrow) {
            std::memcpy(&narrow, thread_id, sizeof narrow);
            id = narrow;
        } else {
            std::memcpy(&id, thread_id, sizeof id);
        }
        *thread_context = space.thread_context(kind, id);
        return *thread_context == nullptr ? ompd_rc_unavailable : ompd_rc_ok;
    });
}

}  // namespace

const ompd_callbacks_t &callback_table() noexcept {
    static constexpr ompd_callbacks_t table{
        cb_alloc_memory,
        cb_free_memory,
        cb_print_string,
        cb_sizeof_type,
        cb_symbol_addr_lookup,
        cb_read_memory,
        cb_write_memory,
        cb_read_string,
        cb_device_host,  // device_to_host
        cb_device_host,  // host_to_device: swapping bytes is its own inverse
        cb_get_thread_context_for_thread_id,
    };
    return table;
}

}  // namespace gdb_ompd
