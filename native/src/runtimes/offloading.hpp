// SPDX-License-Identifier: Apache-2.0
// The libraries that stand between an OpenMP program and its devices, by what they define.
#pragma once

#include "elf/address_space.hpp"
#include "elf/module.hpp"
#include "model/devices.hpp"

#include <vector>

namespace gdb_ompd {

// Whether a library is for one kind of devices.
bool is_plugin(const ElfImage &elf);

// Those libraries among MODULES: what the program calls for devices, its plugins, and what these
// call functions with.
Modules offloading_libraries(const Modules &modules);

// Whether the code of one of MODULES has target constructs, as far as names tell: one that is
// executed on the host alone has none in a stripped file.
bool may_offload(const Modules &modules);

// The devices of each runtime for offloading among MODULES, in the program's memory.
std::vector<OffloadDevices> offload_devices(AddressSpace &space, const Modules &modules);

}  // namespace gdb_ompd
