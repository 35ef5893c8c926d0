// SPDX-License-Identifier: Apache-2.0
// What all runtimes of a process say at one stop, as values of the public model.
#pragma once

#include "stop/all_runtimes.hpp"

#include "model_values.hpp"
#include "region_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gdb_ompd {

class ModelRuntimes {
public:
    explicit ModelRuntimes(std::vector<NativeThread> natives) : all_(std::move(natives)) {}

    ModelThreads add(RuntimeReader &reader, const Typed<"str"> &file,
                     std::vector<AllRuntimes::Range> code);
    void decide(const ThreadPlaces &places, RegionReader &calls);
    void doubt(const std::string &why);

    [[nodiscard]] AllRuntimes &all() noexcept { return all_; }
    [[nodiscard]] const AllRuntimes &all() const noexcept { return all_; }
    ModelThreads threads();
    [[nodiscard]] ModelRegions regions() const;
    std::vector<ModelIcv> icvs(const std::vector<int> &gdb_nums, const std::vector<int> &regions);
    std::vector<ModelVariable> control_variables();

private:
    AllRuntimes all_;
    std::vector<ModelThreads> of_runtimes_;
    std::optional<ModelThreads> threads_;  // each from the runtime that it is in
    py::list regions_;
};

}  // namespace gdb_ompd
