// SPDX-License-Identifier: Apache-2.0
// The devices of LLVM's libomptarget, and its table of what is mapped to each. It publishes no
// layout: where things are is read from its code, and believed only where they fit each other.
#pragma once

#include "elf/module.hpp"
#include "model/devices.hpp"
#include "runtimes/llvm/records.hpp"

namespace gdb_ompd::llvm {

// PLUGINS serve them, or are in the LIBRARY.
OffloadDevices read_devices(const Memory &memory, const Module &library, const Modules &plugins);

}  // namespace gdb_ompd::llvm
