// SPDX-License-Identifier: Apache-2.0
#include "base/errors.hpp"

#include "base/specification.hpp"

#include <algorithm>
#include <cstring>

namespace gdb_ompd {

namespace {

const specification::ReturnCode *find(ompd_rc_t code) {
    const auto codes = specification::return_codes();
    const auto found = std::ranges::find(codes, code, &specification::ReturnCode::number);
    return found == codes.end() ? nullptr : &*found;
}

}  // namespace

std::string code_name(ompd_rc_t code) {
    if (const auto *known = find(code)) {
        return std::string(known->name);
    }
    return "ompd_rc_" + std::to_string(static_cast<std::uint32_t>(code));
}

std::string error_string(ompd_rc_t code) {
    if (const auto *known = find(code)) {
        return std::string(known->meaning);
    }
    return "unknown error code " + std::to_string(static_cast<std::uint32_t>(code));
}

OmpdError::OmpdError(std::string call, ompd_rc_t code)
    : std::runtime_error(call + ": " + error_string(code) + " (" + code_name(code) + ")"),
      call_(std::move(call)), code_(code) {}

FileError::FileError(int error_number, std::string path)
    : std::runtime_error(path + ": " + std::strerror(error_number)), error_number_(error_number),
      path_(std::move(path)) {}

}  // namespace gdb_ompd
