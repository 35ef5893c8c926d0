// SPDX-License-Identifier: Apache-2.0
// A private instance of an OMPD library.
#pragma once

#include "call.hpp"
#include "errors.hpp"
#include "ompd_functions.hpp"

#include <memory>
#include <string>

namespace gdb_ompd {

// How a call ended. An exception of a callback outranks the library's verdict,
// also where that is "ok": libompd masks failed reads and answers with what it
// made of address 0, and an interrupt must never be lost.
struct Outcome {
    const char *call;
    ompd_rc_t code;
    std::exception_ptr failure;

    void check() const;
};

class Library {
public:
    // Throws FileError or LoadError if PATH cannot be loaded,
    // std::invalid_argument if functions are missing, OmpdError if
    // ompd_initialize refuses.
    Library(std::string path, ompd_word_t api_version);
    ~Library() = default;
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    [[nodiscard]] const std::string &path() const noexcept { return path_; }
    [[nodiscard]] const Functions &functions() const noexcept { return functions_; }
    [[nodiscard]] bool finalized() const noexcept { return finalized_; }

    [[nodiscard]] ompd_word_t api_version();
    [[nodiscard]] std::string version_string();
    void finalize();
    [[nodiscard]] std::string take_output() { return trap_.take(); }

    // Call the library with everything in place that its callbacks rely on.
    template <class... Parameters, class... Arguments>
    [[nodiscard]] Outcome call(const Function<ompd_rc_t(Parameters...)> &function,
                               AddressSpace *space, Arguments... arguments) {
        Call current(trap_, space);
        try {
            const ompd_rc_t code = function.pointer(arguments...);
            return {function.name, code, current.take_failure()};
        } catch (...) {
            // libompd allocates with plain new, which throws when memory is out.
            const auto failure = current.take_failure();
            return {function.name, ompd_rc_error, failure ? failure : std::current_exception()};
        }
    }

    // The address of anything else the file exports; null if it does not.
    [[nodiscard]] void *symbol(const char *name) const noexcept;

private:
    // A copy of the file in memory, loaded from there: the dynamic linker takes
    // each copy for a file of its own, so two instances share no variable.
    class Image {
    public:
        Image(const std::string &path, OutputTrap &trap);
        ~Image();
        Image(const Image &) = delete;
        Image &operator=(const Image &) = delete;
        [[nodiscard]] void *handle() const noexcept { return handle_; }

    private:
        void load(const std::string &path);

        int descriptor_;
        void *handle_ = nullptr;
    };

    void resolve();

    std::string path_;
    OutputTrap trap_;
    Image image_;
    Functions functions_;
    bool finalized_ = false;
};

}  // namespace gdb_ompd
