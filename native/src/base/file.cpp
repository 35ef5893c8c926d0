// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include "base/errors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace gdb_ompd {

RegularFile::RegularFile(const std::string &path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
    if (descriptor_ < 0) {
        throw FileError(errno, path);
    }
    if (fstat(descriptor_, &status_) != 0) {
        const int error = errno;
        close(descriptor_);
        throw FileError(error, path);
    }
    if (!S_ISREG(status_.st_mode)) {
        close(descriptor_);
        throw std::invalid_argument(path + ": not a regular file");
    }
}

RegularFile::~RegularFile() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

std::vector<char> read_file(const std::string &path, std::size_t most) {
    const RegularFile file(path);
    if (static_cast<std::size_t>(file.status().st_size) > most) {
        throw std::invalid_argument(path + ": too large (" + std::to_string(file.status().st_size) +
                                    " bytes)");
    }
    std::vector<char> bytes(static_cast<std::size_t>(file.status().st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = read(file.descriptor(), bytes.data() + done, bytes.size() - done);
        if (count == 0) {
            break;  // it was cut off meanwhile
        }
        if (count < 0 && errno != EINTR) {
            throw FileError(errno, path);
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    bytes.resize(done);
    return bytes;
}

}  // namespace gdb_ompd
