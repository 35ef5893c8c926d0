// SPDX-License-Identifier: Apache-2.0
#include "all_runtimes.hpp"

#include "ompd/signal_guard.hpp"
#include "stop/innermost_runtime.hpp"

#include "facts.hpp"
#include "model_types.hpp"

#include <memory>

namespace gdb_ompd {

namespace {

constexpr auto doubted_fields = fields("Thread", "kind", "error");

}  // namespace

ModelThreads ModelRuntimes::add(RuntimeReader &reader, const Typed<"str"> &file,
                                std::vector<AllRuntimes::Range> code) {
    const GuardSpan guard;
    const auto first = static_cast<int>(py::len(regions_));
    const StopFacts &facts = all_.add(reader, bytes_of(file), std::move(code));
    of_runtimes_.push_back(to_threads(all_.natives(), facts.threads, first));
    for (const py::handle region : py::tuple(to_regions(facts.regions, first))) {
        regions_.append(region);
    }
    threads_.reset();
    return of_runtimes_.back();
}

void ModelRuntimes::decide(const ThreadPlaces &places, RegionReader &calls) {
    all_.choose(innermost_runtimes(all_, places, calls.stacks()));
    threads_.reset();
}

ModelThreads ModelRuntimes::threads() {
    if (!threads_ && of_runtimes_.size() == 1) {
        threads_ = of_runtimes_.front();
    } else if (!threads_) {
        py::tuple rows(all_.natives().size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
            rows[row] = py::tuple(of_runtimes_.at(all_.runtime_of(row)))[row];
        }
        threads_ = rows;
    }
    return *threads_;
}

// Nothing is for certain no OpenMP thread while a runtime that could know it is not read.
void ModelRuntimes::doubt(const std::string &why) {
    const py::tuple given(threads());
    py::tuple rows(given.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        rows[row] = given[row];
        const GivenModel own(type_of<doubted_fields>(), given[row]);
        if (own[doubted_fields["kind"]].is(model_word("ThreadKind", "NATIVE"))) {
            ModelValue made(type_of<doubted_fields>(), given[row]);
            made.set(doubted_fields["kind"], py::none());
            made.set(doubted_fields["error"], to_text(why));
            rows[row] = made.done();
        }
    }
    threads_ = rows;
}

ModelRegions ModelRuntimes::regions() const { return {py::tuple(regions_)}; }

std::vector<ModelIcv> ModelRuntimes::icvs(const std::vector<int> &gdb_nums,
                                          const std::vector<int> &regions) {
    const GuardSpan guard;
    std::vector<ModelIcv> found;
    for (std::size_t position = 0; position < all_.size(); ++position) {
        for (const IcvFacts &one : all_.reader(position).icvs(
                 all_.known_to(position, gdb_nums), all_.own_regions(position, regions))) {
            found.push_back(to_icv(one, all_.first_region(position)));
        }
    }
    return found;
}

std::vector<ModelVariable> ModelRuntimes::control_variables() {
    const GuardSpan guard;
    std::vector<ModelVariable> found;
    for (std::size_t position = 0; position < all_.size(); ++position) {
        for (const ControlVariable &one : all_.reader(position).control_variables()) {
            found.push_back(to_control_variable(one));
        }
    }
    return found;
}

void init_all_runtimes(py::module_ &module) {
    using Runtimes = ModelRuntimes;
    py::class_<Runtimes>(
        module, "AllRuntimes",
        "What all OpenMP runtimes of a process say at one stop of its THREADS. A runtime is named "
        "by its position, in the order in which they were added. A library that fails raises "
        "errors.LibraryFailed.")
        .def(py::init<std::vector<NativeThread>>(), py::arg("threads"))
        .def("add", &Runtimes::add, py::arg("reader"), py::arg("file"), py::arg("code"),
             py::keep_alive<1, 2>(),
             "Read the stop of another runtime with this FILE and the addresses of its CODE; "
             "return the threads as it has them.")
        .def("decide", &Runtimes::decide, py::arg("places"), py::arg("calls"),
             "Have the stacks tell in whose region the undecided threads are, whose PLACES these "
             "are.")
        .def("doubt", &Runtimes::doubt, py::arg("why"),
             "Say why it is not known which threads are not OpenMP's.")
        .def_property_readonly("threads", &Runtimes::threads,
                               "The model's, each from the runtime in whose region it is.")
        .def_property_readonly("regions", &Runtimes::regions,
                               "The model's, a region before those inside it.")
        .def(
            "undecided", [](const Runtimes &self) { return self.all().undecided(); },
            "Return the threads that have begun as many regions of one runtime as of another: "
            "which is the inner one their stacks tell.")
        .def("icvs", &Runtimes::icvs, py::arg("gdb_nums"), py::arg("regions"),
             "Return the ICVs of the runtimes, and of those of the threads and regions that each "
             "knows.")
        .def("control_variables", &Runtimes::control_variables,
             "Return the control variables of every runtime.")
        .def(
            "records",
            [](Runtimes &self) {
                std::vector<std::shared_ptr<Capabilities>> found;
                for (std::size_t position = 0; position < self.all().size(); ++position) {
                    if (auto own = self.all().records(position)) {
                        found.push_back(std::move(own));
                    }
                }
                return found;
            },
            "Return what reads the runtimes' records, of those of which it is known where they "
            "are.");
}

}  // namespace gdb_ompd
