// SPDX-License-Identifier: Apache-2.0
// The devices of a runtime for offloading, and what is mapped there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gdb_ompd {

struct MappedObject {
    std::uint64_t host = 0;  // where it begins there
    std::uint64_t device = 0;
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> references;  // none: it is never unmapped
    std::string name;  // what the compiler has told the runtime; empty where it told none
};

struct OffloadDevice {
    int number = 0;
    std::string plugin;  // what serves it, a file's path; empty where that is not known
    std::string kind;    // as the plugin calls it, such as "x86_64"; empty where it is not known
    std::vector<MappedObject> mapped;  // by host addresses
    std::string why_unknown;           // what is mapped, as a sentence goes on behind "because"
};

struct OffloadDevices {
    std::string library;                 // the runtime's path
    std::vector<OffloadDevice> devices;  // by number
    std::string why_unknown;             // which there are
    bool is_late = false;                // it looks for them when the first is needed, and has not
};

}  // namespace gdb_ompd
