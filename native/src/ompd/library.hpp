// SPDX-License-Identifier: Apache-2.0
// A private instance of an OMPD library.
#pragma once

#include "base/errors.hpp"
#include "base/ompd_functions.hpp"
#include "ompd/call.hpp"
#include "ompd/signal_guard.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace gdb_ompd {

// How a call ended. An exception of a callback outranks the library's verdict, also where that is
// "ok". libompd masks failed reads, and answers with what it made of address 0. An interrupt must
// never be lost.
struct Outcome {
    const char *call;
    ompd_rc_t code;
    std::exception_ptr failure;

    void check() const;
    // The library's verdict. Throws what a callback met.
    [[nodiscard]] ompd_rc_t verdict() const;
};

class Library {
public:
    // Initialises the library with the newest version that both know. Throws
    // FileError or LoadError if PATH cannot be loaded, std::invalid_argument if
    // functions are missing, OmpdError if there is no such version or
    // ompd_initialize refuses.
    explicit Library(std::string path);
    // Finalizes a library that is sound and was not finalized: no handle is left.
    ~Library();
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    [[nodiscard]] const std::string &path() const noexcept { return path_; }
    [[nodiscard]] const Functions &functions() const noexcept { return functions_; }
    [[nodiscard]] bool finalized() const noexcept { return finalized_; }
    // Why this instance is never called again, "" while it is sound.
    [[nodiscard]] const std::string &failure() const noexcept { return failure_; }
    [[nodiscard]] bool retired() const noexcept { return !failure_.empty(); }

    // What the library says of itself, and the version that was agreed on.
    [[nodiscard]] ompd_word_t api_version();
    [[nodiscard]] ompd_word_t agreed_version() const noexcept { return agreed_version_; }
    [[nodiscard]] Manners manners() const noexcept { return manners_; }
    [[nodiscard]] std::string version_string();
    // Throws OmpdError if it was done before.
    void finalize();
    [[nodiscard]] std::string take_output() { return trap_.take(); }

    // Call the library with everything in place that its callbacks rely on, and
    // guarded: what it does wrong makes a LibraryFailure and retires the instance.
    template <class... Parameters, class... Arguments>
    [[nodiscard]] Outcome call(const Function<ompd_rc_t(Parameters...)> &function,
                               AddressSpace *space, Arguments... arguments) {
        ompd_rc_t code = ompd_rc_error;
        return guarded(function.name, space, code, [&] { code = function.pointer(arguments...); });
    }

    // The text that the call NAME gave out, which may not be one: throws
    // LibraryFailure then. Null is "".
    [[nodiscard]] std::string text(const char *name, const char *text);
    // The texts of a list that ends with null, MOST of them at most.
    [[nodiscard]] std::vector<std::string> texts(const char *name, const char *const *list,
                                                 int most);

    // The address of anything else the file exports; null if it does not.
    [[nodiscard]] void *symbol(const char *name) const noexcept;

private:
    // A copy of the file in memory, loaded from there: the dynamic linker takes
    // each copy for a file of its own, so two instances share no variable.
    class Image {
    public:
        Image(const std::string &path, BlockOwner number, OutputTrap &trap);
        ~Image();
        Image(const Image &) = delete;
        Image &operator=(const Image &) = delete;
        [[nodiscard]] void *handle() const noexcept { return handle_; }
        [[nodiscard]] const CodeRanges &code() const noexcept { return code_; }
        // Leave it loaded for ever: after a crash not even its destructors may run.
        void abandon() noexcept { abandoned_ = true; }

    private:
        void load(const std::string &path, const std::string &name);
        void find_code();

        void *handle_ = nullptr;
        CodeRanges code_;
        bool abandoned_ = false;
    };

    void resolve();
    void initialize();
    [[nodiscard]] Manners find_manners();

    // Execute ASK, which sets CODE.
    template <class Ask>
    [[nodiscard]] Outcome guarded(const char *name, AddressSpace *space, const ompd_rc_t &code,
                                  Ask ask) {
        static_assert(std::is_trivially_destructible_v<Ask>, "it may be jumped over");
        if (retired()) {
            return refusal(name);
        }
        const SignalGuard signals;
        Call current({trap_, image_.code(), number_, manners_}, space);
        ++calls_;
        const Ending ending = current.run([](void *data) { (*static_cast<Ask *>(data))(); }, &ask);
        return finish(name, code, ending, current);
    }
    [[nodiscard]] Outcome refusal(const char *name) const;
    [[nodiscard]] Outcome finish(const char *name, ompd_rc_t code, Ending ending, Call &current);
    // What went wrong in a call that something went wrong in. Retires where it must.
    [[nodiscard]] std::string problem(const char *name, Ending ending, const Call &current,
                                      bool has_overrun);
    void retire(const std::string &problem);

    BlockOwner number_;
    std::string path_;
    OutputTrap trap_;
    Image image_;
    Functions functions_;
    Manners manners_ = Manners::as_specified;
    ompd_word_t agreed_version_ = 0;
    bool finalized_ = false;
    int calls_ = 0;  // in progress
    std::string failure_;
};

}  // namespace gdb_ompd
