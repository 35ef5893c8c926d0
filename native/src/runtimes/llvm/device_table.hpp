// SPDX-License-Identifier: Apache-2.0
// Where LLVM's libomptarget has its list of devices, by its function that returns their number.
#pragma once

#include "elf/address_space.hpp"
#include "elf/module.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gdb_ompd::llvm {

using DeviceRecords = std::vector<std::uint64_t>;  // their addresses, by device number

// None where that function is not as it is known, or what it reads is no list of devices.
std::optional<DeviceRecords> device_records(AddressSpace &space, const Module &library);

}  // namespace gdb_ompd::llvm
