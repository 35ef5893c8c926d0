// SPDX-License-Identifier: Apache-2.0
#include "base/errors.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gdb_ompd {

namespace {

struct Code {
    ompd_rc_t code;
    const char *name;
    const char *meaning;
};

constexpr std::array codes{
    Code{ompd_rc_ok, "ompd_rc_ok", "success"},
    Code{ompd_rc_unavailable, "ompd_rc_unavailable", "there is no such information here"},
    Code{ompd_rc_stale_handle, "ompd_rc_stale_handle", "the handle is no longer valid"},
    Code{ompd_rc_bad_input, "ompd_rc_bad_input", "an argument is not valid"},
    Code{ompd_rc_error, "ompd_rc_error", "the call failed"},
    Code{ompd_rc_unsupported, "ompd_rc_unsupported", "the OMPD library does not support this"},
    Code{ompd_rc_needs_state_tracking, "ompd_rc_needs_state_tracking",
         "the runtime does not track states; enable OMPD events first"},
    Code{ompd_rc_incompatible, "ompd_rc_incompatible",
         "the OMPD library does not fit the program's runtime or the value's type"},
    Code{ompd_rc_device_read_error, "ompd_rc_device_read_error", "a read from the target failed"},
    Code{ompd_rc_device_write_error, "ompd_rc_device_write_error", "a write to the target failed"},
    Code{ompd_rc_nomem, "ompd_rc_nomem", "out of memory"},
    Code{ompd_rc_incomplete, "ompd_rc_incomplete", "only part of the answer could be given"},
    Code{ompd_rc_callback_error, "ompd_rc_callback_error", "a callback of the debugger failed"},
    Code{ompd_rc_incompatible_handle, "ompd_rc_incompatible_handle",
         "the handle is of the wrong kind"},
};

const Code *find(ompd_rc_t code) {
    const auto *found = std::find_if(codes.begin(), codes.end(),
                                     [code](const Code &entry) { return entry.code == code; });
    return found == codes.end() ? nullptr : found;
}

}  // namespace

std::string code_name(ompd_rc_t code) {
    if (const Code *known = find(code)) {
        return known->name;
    }
    return "ompd_rc_" + std::to_string(static_cast<std::uint32_t>(code));
}

std::string error_string(ompd_rc_t code) {
    if (const Code *known = find(code)) {
        return known->meaning;
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
