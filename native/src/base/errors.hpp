// SPDX-License-Identifier: Apache-2.0
// What can go wrong, each kind with a type of its own.
#pragma once

#include "base/ompd_types.h"

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace gdb_ompd {

// "ompd_rc_stale_handle" for 2; a number without a name keeps its number.
std::string code_name(ompd_rc_t code);

// A sentence on what CODE means.
std::string error_string(ompd_rc_t code);

// A function of the library, or a callback of ours, returned an error code.
class OmpdError : public std::runtime_error {
public:
    OmpdError(std::string call, ompd_rc_t code);

    [[nodiscard]] const std::string &call() const noexcept { return call_; }
    [[nodiscard]] ompd_rc_t code() const noexcept { return code_; }

private:
    std::string call_;
    ompd_rc_t code_;
};

// The library crashed, did not return in time or broke what it was lent.
class LibraryFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// What the program's memory says cannot be true; nothing is guessed.
class Inconsistent : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A runtime cannot be asked: what is the matter, and what to do, in a line for the user.
class NotServed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Its OMPD symbols cannot be had.
class NoSymbols : public NotServed {
public:
    using NotServed::NotServed;
};

// It has not started, or has shut down.
class NotInitialized : public NotServed {
public:
    using NotServed::NotServed;
};

// The user wants the command ended.
class Interrupt : public std::exception {
public:
    [[nodiscard]] const char *what() const noexcept override { return "interrupted"; }
};

// Target memory that cannot be read or written: an expected failure, such as the
// end of a mapping, that lets a caller try a smaller range. CAUSE is the debugger's
// own exception, which is what a user is told.
class MemoryUnreadable : public std::exception {
public:
    // NOLINTNEXTLINE(bugprone-throw-keyword-missing): kept to be thrown later
    explicit MemoryUnreadable(std::exception_ptr cause) : cause_(std::move(cause)) {}

    [[nodiscard]] const char *what() const noexcept override { return "memory cannot be read"; }
    [[nodiscard]] const std::exception_ptr &cause() const noexcept { return cause_; }

private:
    std::exception_ptr cause_;
};

// The operating system refused a file.
class FileError : public std::runtime_error {
public:
    FileError(int error_number, std::string path);

    [[nodiscard]] int error_number() const noexcept { return error_number_; }
    [[nodiscard]] const std::string &path() const noexcept { return path_; }

private:
    int error_number_;
    std::string path_;
};

// The dynamic linker refused a library.
class LoadError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace gdb_ompd
