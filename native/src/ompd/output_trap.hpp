// SPDX-License-Identifier: Apache-2.0
// Catches what an OMPD library prints: LLVM's writes to std::cout and would
// print over the debugger's own output.
#pragma once

#include <cstdio>
#include <streambuf>
#include <string>
#include <string_view>

namespace gdb_ompd {

class OutputTrap {
public:
    static constexpr std::size_t max_text = std::size_t{1} << 20;

    OutputTrap();
    ~OutputTrap();
    OutputTrap(const OutputTrap &) = delete;
    OutputTrap &operator=(const OutputTrap &) = delete;

    // Return and forget the text so far.
    std::string take();
    void append(std::string_view text) noexcept;

    // Standard output goes to TRAP while the library's own code runs.
    class Guard {
    public:
        explicit Guard(OutputTrap &trap) noexcept;
        ~Guard();
        Guard(const Guard &) = delete;
        Guard &operator=(const Guard &) = delete;

        // Put standard output back for as long as a callback of ours runs.
        void open() noexcept;
        void close() noexcept;

    private:
        OutputTrap &trap_;
        std::FILE *outer_file_ = nullptr;
        std::streambuf *outer_buffer_ = nullptr;
        std::streambuf *passed_before_ = nullptr;
    };

private:
    class Buffer : public std::streambuf {
    public:
        explicit Buffer(OutputTrap &trap) : trap_(trap) {}

        // Where text goes while the trap is open, null while it is closed. std::cout keeps this
        // buffer: to give it another one takes as long as the rest of a callback.
        std::streambuf *passes_to = nullptr;

    protected:
        int_type overflow(int_type c) override;
        std::streamsize xsputn(const char *text, std::streamsize size) override;

    private:
        OutputTrap &trap_;
    };

    std::string text_;
    Buffer buffer_{*this};
    std::FILE *file_;
};

}  // namespace gdb_ompd
