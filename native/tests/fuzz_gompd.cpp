// SPDX-License-Identifier: Apache-2.0
// libFuzzer's door to libgompd: the input is what the debugger's callbacks answer instead of
// the truth. The library may refuse, but it leads to no fault, gives back all its memory and
// leaves an output alone where it fails. scripts/fuzz-libgompd.sh builds and runs this.
#include "gnu_questions.hpp"

#include <cstdlib>
#include <span>

namespace {

using Bytes = std::span<const std::uint8_t>;

// What is left of the input. At its end everything is answered truly.
Bytes input;

std::uint64_t take(std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width && !input.empty(); ++i, input = input.subspan(1)) {
        value |= std::uint64_t{input.front()} << (8 * i);
    }
    return value;
}

// Whether this answer is a lie: in one of 16 cases of each byte.
bool lies() { return !input.empty() && (take(1) & 0xfU) == 1; }

ompd_rc_t failure() { return static_cast<ompd_rc_t>(1 + take(1) % 12); }

// Where something of the program's is, or anything.
std::uint64_t some_address() {
    const std::uint64_t kind = take(1) % 6;
    const std::uint64_t offset = take(2);
    switch (kind) {
    case 0:
        return gnu::team + offset % 0x800;
    case 1:
        return gnu::record_of(static_cast<int>(offset % 3));
    case 2:
        return gnu::base + offset;
    case 3:
        return gnu::explicit_task + offset % 0x100;
    case 4:
        return offset;
    default:
        return take(8);
    }
}

ompd_rc_t read(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
               const ompd_address_t *from, ompd_size_t wanted, void *out) {
    if (!lies()) {
        return gnu::read(space, thread, from, wanted, out);
    }
    if (take(1) % 4 == 0) {
        return failure();
    }
    static_cast<void>(gnu::read(space, thread, from, wanted, out));
    for (std::uint64_t i = 0; i < wanted; i += 8) {
        const std::uint64_t word = lies() ? take(8) : some_address();
        std::memcpy(static_cast<char *>(out) + i, &word, std::min<std::size_t>(8, wanted - i));
    }
    return ompd_rc_ok;
}

ompd_rc_t read_text(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                    const ompd_address_t *from, ompd_size_t wanted, void *out) {
    if (lies()) {
        std::memset(out, static_cast<int>(take(1)), wanted);
        return take(1) % 2 == 0 ? ompd_rc_ok : failure();
    }
    return gnu::read_text(space, thread, from, wanted, out);
}

ompd_rc_t symbol(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                 const char *name, ompd_address_t *found, const char *file) {
    if (lies()) {
        *found = {ompd_segment_none, some_address()};
        return take(1) % 2 == 0 ? ompd_rc_ok : failure();
    }
    return gnu::symbol(space, thread, name, found, file);
}

ompd_rc_t allocate(ompd_size_t wanted, void **block) {
    if (wanted > (1U << 24)) {
        std::abort();  // no answer needs that much
    }
    return lies() ? failure() : gnu::allocate(wanted, block);
}

ompd_rc_t context_of(ompd_address_space_context_t *space, ompd_thread_id_t kind, ompd_size_t width,
                     const void *id, ompd_thread_context_t **found) {
    if (kind == ompd_thread_id_pthread) {
        return lies() ? failure() : gnu::context(space, kind, width, id, found);
    }
    static char any;
    *found = reinterpret_cast<ompd_thread_context_t *>(&any);
    return lies() ? failure() : ompd_rc_ok;
}

const ompd_callbacks_t liar{allocate, gnu::release, gnu::print, gnu::sizes, symbol,    read,
                            nullptr,  read_text,    nullptr,    nullptr,    context_of};

ompd_address_space_context_t *context() {
    return reinterpret_cast<ompd_address_space_context_t *>(std::uintptr_t{1});
}

// Damage bytes of the program's memory, those of its code or of its records.
void damage() {
    for (std::uint64_t left = take(1) % 16; left > 0; --left) {
        const std::uint64_t at = take(2) % 0x18000;
        const bool is_code = at < 0x300;
        gnu::put(gnu::base + at, is_code ? take(1) : some_address(), is_code ? 1 : 8);
    }
}

void release_all() {
    for (void *block : gnu::blocks) {
        std::free(block);
    }
    gnu::blocks.clear();
}

// Prove the layout as CALLBACKS answer; null where that is refused.
ompd_address_space_handle_t *proved(const ompd_callbacks_t &callbacks) {
    ompd_address_space_handle_t *made = nullptr;
    ompd_initialize(201811, &callbacks);
    const ompd_rc_t code = ompd_process_initialize(context(), &made);
    if ((code == ompd_rc_ok) != (made != nullptr)) {
        std::abort();
    }
    return made;
}

// The program as one machine's code has it. Proving its layout takes most of the time, and is
// done once.
class Program {
public:
    explicit Program(gnu::Code machine) {
        gnu::make_program(machine);
        memory_ = gnu::memory;
        symbols_ = gnu::symbols;
        threads_ = gnu::threads;
        known_ = proved(gnu::callbacks);
        gnu::blocks.erase(known_);
        release_all();
        machine_ = machine;
    }

    // As it was made, whatever has been done to it.
    void put_back() const {
        if (gnu::machine != machine_) {
            gnu::machine = machine_;
            gnu::symbols = symbols_;
            gnu::threads = threads_;
        }
        gnu::memory = memory_;
        gnu::printed.clear();
    }

    [[nodiscard]] ompd_address_space_handle_t *known() const { return known_; }

private:
    gnu::Code machine_{};
    decltype(gnu::memory) memory_{};
    decltype(gnu::symbols) symbols_;
    decltype(gnu::threads) threads_;
    ompd_address_space_handle_t *known_ = nullptr;
};

}  // namespace

// What else AddressSanitizer does at each exception, and for each block, takes half of the time.
extern "C" const char *__asan_default_options() {
    return "use_sigaltstack=0:malloc_context_size=2:quarantine_size_mb=4";
}

// An input asks of one thread, or of the process, and for one ICV: so it is short and fast.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const std::array programs{Program(gnu::Code::x86_64), Program(gnu::Code::aarch64)};
    input = {data, size};
    const auto choice = static_cast<unsigned>(take(1));
    const Program &program = programs.at(choice & 1U);
    const bool is_proved_again = (choice >> 1U) % 4 == 0;
    const int number = static_cast<int>((choice >> 3U) % 4);
    const ompd_icv_id_t icv = take(1) % gnu::all_icvs().size();
    program.put_back();
    damage();
    ompd_address_space_handle_t *const process = is_proved_again ? proved(liar) : program.known();
    ompd_initialize(201811, &liar);
    if (process != nullptr && number < 3) {
        gnu::ask_of_thread(process, number, {&icv, 1});
    } else if (process != nullptr) {
        gnu::ask_of_process(process, {&icv, 1});
    }
    ompd_finalize();
    release_all();
    return 0;
}
