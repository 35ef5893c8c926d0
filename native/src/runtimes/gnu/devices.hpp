// SPDX-License-Identifier: Apache-2.0
// The devices of GCC's libgomp, and its tree of what is mapped to each. It publishes no layout: the
// functions of its plugins are where it has kept them, and an entry leads back to its device.
#pragma once

#include "elf/address_space.hpp"
#include "elf/module.hpp"
#include "model/devices.hpp"

namespace gdb_ompd::gnu {

// It has none where it has loaded none of PLUGINS.
OffloadDevices read_devices(AddressSpace &space, const Module &library, const Modules &plugins);

}  // namespace gdb_ompd::gnu
