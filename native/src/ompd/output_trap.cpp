// SPDX-License-Identifier: Apache-2.0
#include "ompd/output_trap.hpp"

#include "base/errors.hpp"
#include "ompd/jump_point.hpp"

#include <cerrno>
#include <iostream>
#include <utility>

namespace gdb_ompd {

namespace {

ssize_t write_to_trap(void *trap, const char *text, std::size_t size) {
    static_cast<OutputTrap *>(trap)->append({text, size});
    return static_cast<ssize_t>(size);
}

}  // namespace

OutputTrap::OutputTrap()
    : file_(fopencookie(this, "w", {nullptr, write_to_trap, nullptr, nullptr})) {
    if (file_ == nullptr) {
        throw FileError(errno, "standard output");
    }
    std::setvbuf(file_, nullptr, _IONBF, 0);
}

OutputTrap::~OutputTrap() { std::fclose(file_); }

std::string OutputTrap::take() { return std::exchange(text_, {}); }

void OutputTrap::append(std::string_view text) noexcept {
    const JumpPoint::Outside ours;
    const std::size_t room = max_text - text_.size();
    try {
        text_.append(text.substr(0, room));
    } catch (...) {
        return;  // without memory the text is lost; the library must not see an exception
    }
}

OutputTrap::Buffer::int_type OutputTrap::Buffer::overflow(int_type c) {
    if (traits_type::eq_int_type(c, traits_type::eof())) {
        return traits_type::not_eof(c);
    }
    const char letter = traits_type::to_char_type(c);
    return xsputn(&letter, 1) == 1 ? c : traits_type::eof();
}

std::streamsize OutputTrap::Buffer::xsputn(const char *text, std::streamsize size) {
    if (passes_to != nullptr) {
        return passes_to->sputn(text, size);
    }
    trap_.append({text, static_cast<std::size_t>(size)});
    return size;
}

OutputTrap::Guard::Guard(OutputTrap &trap) noexcept
    : trap_(trap), outer_buffer_(std::cout.rdbuf(&trap.buffer_)),
      passed_before_(trap.buffer_.passes_to) {
    close();
}

OutputTrap::Guard::~Guard() {
    open();
    std::cout.rdbuf(outer_buffer_);
    trap_.buffer_.passes_to = passed_before_;
}

void OutputTrap::Guard::open() noexcept {
    // A call within a callback of the same library's finds its own buffer in place.
    trap_.buffer_.passes_to = outer_buffer_ == &trap_.buffer_ ? passed_before_ : outer_buffer_;
    stdout = outer_file_;
}

void OutputTrap::Guard::close() noexcept {
    trap_.buffer_.passes_to = nullptr;
    outer_file_ = std::exchange(stdout, trap_.file_);
}

}  // namespace gdb_ompd
