// SPDX-License-Identifier: Apache-2.0
// Opening what somebody else may have put there: a regular file, or nothing.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gdb_ompd {

// A regular file that is open for reading. Opening never waits: of a FIFO for a
// writer, of a device for the line.
class RegularFile {
public:
    // Throws FileError, or std::invalid_argument for what is no regular file.
    explicit RegularFile(const std::string &path);
    ~RegularFile();
    RegularFile(RegularFile &&other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), status_(other.status_) {}
    RegularFile &operator=(RegularFile &&) = delete;
    RegularFile(const RegularFile &) = delete;
    RegularFile &operator=(const RegularFile &) = delete;

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    [[nodiscard]] const struct stat &status() const noexcept { return status_; }

private:
    int descriptor_;
    struct stat status_ {};
};

// The contents of the file at PATH. Throws as above, and std::invalid_argument for
// one of more than MOST bytes.
std::vector<char> read_file(const std::string &path, std::size_t most);

}  // namespace gdb_ompd
