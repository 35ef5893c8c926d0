// SPDX-License-Identifier: Apache-2.0
#include "ompd/library.hpp"

#include "base/file.hpp"
#include "base/specification.hpp"
#include "elf/elf_headers.hpp"
#include "ompd/callbacks.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace gdb_ompd {

namespace {

// An OMPD library has some hundred KiB.
constexpr std::size_t most_library_bytes = std::size_t{256} << 20;

void write_all(int descriptor, const std::vector<char> &bytes, const std::string &path) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t written = write(descriptor, bytes.data() + done, bytes.size() - done);
        if (written < 0 && errno != EINTR) {
            throw FileError(errno, path);
        }
        done += written > 0 ? static_cast<std::size_t>(written) : 0;
    }
}

std::vector<std::string> needed_libraries(const std::string &path) {
    try {
        return read_headers(ElfFile(path)).needed;
    } catch (const std::invalid_argument &damage) {
        throw LoadError(damage.what());
    }
}

// Some libompd need the libomp beside them, which the dynamic linker looks for
// beside the copy in vain. A library it has already loaded by name will do.
bool load_companions(const std::string &path, const std::vector<std::string> &needed) {
    bool loaded = false;
    std::error_code ignored;
    const auto folder = std::filesystem::weakly_canonical(path, ignored).parent_path();
    for (const std::string &library : needed) {
        const auto companion = folder / std::filesystem::path(library).filename();
        // The dynamic linker would wait for a writer of a FIFO.
        loaded |= std::filesystem::is_regular_file(companion, ignored) &&
                  dlopen(companion.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
    }
    return loaded;
}

// The linker's message without our copy's name, which says nothing to a user.
std::string without_name(std::string message, const std::string &name) {
    if (message.starts_with(name + ": ")) {
        message.erase(0, name.size() + 2);
    }
    return message;
}

// The copy of a library that is loaded. Closed once it is mapped: of each that has crashed one
// would be left open, and GDB ends itself where it is given a descriptor above 1023.
class MemoryFile {
public:
    explicit MemoryFile(const std::string &path) : MemoryFile() {
        if (descriptor_ < 0) {
            throw FileError(errno, path);
        }
        write_all(descriptor_, read_file(path, most_library_bytes), path);
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    // The name under which the dynamic linker loads it, and remembers it. Each NUMBER has another
    // one: most OMPD libraries stay loaded, and it would hand out the old copy.
    [[nodiscard]] std::string name(BlockOwner number) const {
        std::string found = "/proc/self/fd";
        for (; number != 0; number >>= 1) {
            found += (number & 1) != 0 ? "/." : "/";
        }
        return found + "/" + std::to_string(descriptor_);
    }

private:
    MemoryFile() noexcept : descriptor_(memfd_create("ompd", MFD_CLOEXEC)) {}

    int descriptor_;
};

BlockOwner next_number() {
    static std::atomic<BlockOwner> last = 0;
    return ++last;
}

std::string signal_name(int signal) {
    // Those that the guard meets: glibc names others only from 2.32 on.
    static constexpr auto names = std::to_array<std::pair<int, std::string_view>>({
        {SIGSEGV, "SIGSEGV"},
        {SIGBUS, "SIGBUS"},
        {SIGFPE, "SIGFPE"},
        {SIGILL, "SIGILL"},
    });
    const auto *const found =
        std::ranges::find(names, signal, &std::pair<int, std::string_view>::first);
    return found == names.end() ? "signal " + std::to_string(signal) : std::string(found->second);
}

std::string thrown_text(const std::exception_ptr &thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception &exception) {
        return std::string(" (") + exception.what() + ")";
    } catch (...) {
        return "";
    }
}

// A sentence's middle for the user: what became of the call NAME.
std::string describe(const char *call, Ending ending, const std::exception_ptr &thrown) {
    if (ending.kind == Ending::Kind::returned) {
        return {};
    }
    const std::string name = call;
    switch (ending.kind) {
    case Ending::Kind::crashed:
        return "crashed in " + name + " (" + signal_name(ending.signal) + ")";
    case Ending::Kind::overflowed:
        return "crashed in " + name + " (its stack overflowed)";
    case Ending::Kind::threw:
        return "threw an exception in " + name + thrown_text(thrown);
    case Ending::Kind::expired:
        return "did not return from " + name + " in the time that 'set ompd timeout' allows";
    case Ending::Kind::restless:
        return "did not end " + name + " after many thousand callbacks";
    case Ending::Kind::interrupted:
        return "was interrupted in " + name;
    case Ending::Kind::returned:
        break;
    }
    return {};
}

}  // namespace

Library::Image::Image(const std::string &path, BlockOwner number, OutputTrap &trap) {
    const MemoryFile copy(path);
    const Call initialisers({trap, code_, 0, Manners::as_specified}, nullptr);  // they may print
    load(path, copy.name(number));
}

void Library::Image::load(const std::string &path, const std::string &name) {
    // The dynamic linker maps what the headers say: of a file that was cut off,
    // pages that are not there, and the debugger dies when it touches them.
    const std::vector<std::string> needed = needed_libraries(path);
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr && load_companions(path, needed)) {
        handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    if (handle_ == nullptr) {
        const char *reason = dlerror();
        throw LoadError(path + ": " + without_name(reason == nullptr ? "" : reason, name));
    }
    find_code();
}

void Library::Image::find_code() {
    link_map *loaded = nullptr;
    if (dlinfo(handle_, RTLD_DI_LINKMAP, &loaded) != 0) {
        return;
    }
    struct Search {
        const char *name;
        CodeRanges &code;
    } search{loaded->l_name, code_};
    dl_iterate_phdr(
        [](dl_phdr_info *object, std::size_t, void *data) {
            const auto &wanted = *static_cast<Search *>(data);
            if (std::strcmp(object->dlpi_name, wanted.name) != 0) {
                return 0;
            }
            for (const auto &header : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
                if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0) {
                    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
                    wanted.code.push_back({begin, begin + header.p_memsz});
                }
            }
            return 1;
        },
        &search);
}

Library::Image::~Image() {
    if (!abandoned_) {
        dlclose(handle_);
    }
}

ompd_rc_t Outcome::verdict() const {
    if (failure) {
        std::rethrow_exception(failure);
    }
    return code;
}

void Outcome::check() const {
    if (verdict() != ompd_rc_ok) {
        throw OmpdError(call, code);
    }
}

Library::Library(std::string path)
    : number_(next_number()), path_(std::move(path)), image_(path_, number_, trap_) {
    resolve();
    // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): the functions tell them
    manners_ = find_manners();
    initialize();
}

Library::~Library() {
    if (!finalized_ && !retired()) {
        static_cast<void>(call(functions_.finalize, nullptr));  // what it says helps nobody now
    }
}

// By how it describes itself, which every version of LLVM's begins with.
Manners Library::find_manners() {
    const auto &function = functions_.get_version_string;
    const char *text = nullptr;
    const Outcome outcome = call(function, nullptr, &text);
    if (outcome.failure != nullptr) {
        std::rethrow_exception(outcome.failure);
    }
    const bool told = outcome.code == ompd_rc_ok;
    return told && this->text(function.name, text).starts_with("LLVM OpenMP")
               ? Manners::llvm
               : Manners::as_specified;
}

// A library says which version it speaks before it is initialised, but need not take
// an older one than that: then the versions there are, newest first.
void Library::initialize() {
    ompd_word_t latest = 0;
    const Outcome told = call(functions_.get_api_version, nullptr, &latest);
    if (told.failure != nullptr) {
        std::rethrow_exception(told.failure);
    }
    if (told.code != ompd_rc_ok) {
        latest = specification::versions.front();
    }
    Outcome outcome{functions_.initialize.name, ompd_rc_unsupported, nullptr};
    for (const ompd_word_t version : specification::versions) {
        if (version > latest || outcome.code != ompd_rc_unsupported || outcome.failure != nullptr) {
            continue;
        }
        outcome = call(functions_.initialize, nullptr, version, &callback_table());
        agreed_version_ = version;
    }
    outcome.check();
}

Outcome Library::refusal(const char *name) const {
    return {name, ompd_rc_stale_handle, std::make_exception_ptr(LibraryFailure(failure_))};
}

Outcome Library::finish(const char *name, ompd_rc_t code, Ending ending, Call &current) {
    const bool has_overrun = current.has_overrun();
    std::string found;
    if (has_overrun || ending.kind != Ending::Kind::returned ||
        current.limit() != Ending::Kind::returned) {
        found = problem(name, ending, current, has_overrun);
    }
    if (--calls_ == 0 && retired()) {
        free_blocks_of(number_);
    }
    std::exception_ptr failure = current.take_failure();
    if (failure == nullptr && ending.kind == Ending::Kind::interrupted) {
        failure = std::make_exception_ptr(Interrupt());
    } else if (failure == nullptr && !found.empty()) {
        failure = std::make_exception_ptr(LibraryFailure(found));
    }
    return {name, code, failure};
}

std::string Library::problem(const char *name, Ending ending, const Call &current,
                             bool has_overrun) {
    std::string found = describe(name, ending, current.thrown());
    bool sound = found.empty();
    if (has_overrun) {
        found = std::string("wrote beyond the memory it was lent, in ") + name;
        sound = false;
    } else if (sound) {
        // It came back by itself from a call that took too much.
        found = describe(name, {current.limit(), 0}, nullptr);
    }
    found = "the OMPD library " + found;
    if (!sound) {
        found += ": a fresh copy of " + path_ + " is loaded at the next command";
        retire(found);
    }
    return found;
}

void Library::retire(const std::string &problem) {
    if (failure_.empty()) {
        failure_ = problem;
        image_.abandon();
    }
}

void Library::resolve() {
    std::string missing;
    bool any = false;
#define GDB_OMPD_RESOLVE(member, ...)                                                              \
    functions_.member.pointer =                                                                    \
        reinterpret_cast<decltype(functions_.member.pointer)>(symbol(functions_.member.name));     \
    any |= functions_.member.pointer != nullptr;                                                   \
    if (functions_.member.pointer == nullptr) {                                                    \
        missing += std::string(missing.empty() ? "" : ", ") + functions_.member.name;              \
    }
    GDB_OMPD_FUNCTIONS(GDB_OMPD_RESOLVE)
#undef GDB_OMPD_RESOLVE
    if (!any) {
        throw std::invalid_argument(path_ + ": not an OMPD library");
    }
    if (!missing.empty()) {
        throw std::invalid_argument(path_ + ": not a complete OMPD library, it lacks " + missing);
    }
}

void *Library::symbol(const char *name) const noexcept { return dlsym(image_.handle(), name); }

ompd_word_t Library::api_version() {
    ompd_word_t version = 0;
    call(functions_.get_api_version, nullptr, &version).check();
    return version;
}

std::string Library::version_string() {
    const char *version = nullptr;
    call(functions_.get_version_string, nullptr, &version).check();
    return text(functions_.get_version_string.name, version);  // not ours to free
}

std::string Library::text(const char *name, const char *text) {
    std::size_t size = 0;
    const ompd_rc_t code = ompd_rc_ok;
    if (text != nullptr) {
        guarded(name, nullptr, code, [&] { size = strnlen(text, OutputTrap::max_text); }).check();
    }
    return text == nullptr ? "" : std::string(text, size);
}

std::vector<std::string> Library::texts(const char *name, const char *const *list, int most) {
    std::vector<std::string> copies;
    const ompd_rc_t code = ompd_rc_ok;
    for (int i = 0; i < most; ++i) {
        const char *each = nullptr;
        guarded(name, nullptr, code, [&] { each = list[i]; }).check();
        if (each == nullptr) {
            break;
        }
        copies.push_back(text(name, each));
    }
    return copies;
}

void Library::finalize() {
    if (finalized_) {
        throw OmpdError(functions_.finalize.name, ompd_rc_unsupported);
    }
    finalized_ = true;
    call(functions_.finalize, nullptr).check();
}

}  // namespace gdb_ompd
