// SPDX-License-Identifier: Apache-2.0
// Where in the user's code threads are, with the places that Python names.
#include "facts.hpp"
#include "python_names.hpp"

#include <utility>
#include <vector>

namespace gdb_ompd {

namespace {

// The places of threads at one stop.
class PlacesReader {
public:
    PlacesReader(WaitReader &reader, std::optional<Unwinder *> unwinder, WholeStacks &around,
                 const Typed<"PlaceNames"> &names)
        : reader_(reader), unwinder_(unwinder.value_or(nullptr)), names_(names),
          places_(reader, names_, unwinder_, [&around](int gdb_num, bool by_debugger) {
              return around.read(gdb_num, by_debugger);
          }) {}

    ThreadPlaces read(const std::vector<int> &gdb_nums, const PythonStacks::Stacks &stacks) {
        const auto found = places_.find(gdb_nums, reads_of(gdb_nums, stacks));
        for (std::size_t at = known_.size(); at < places_.found().size(); ++at) {
            const StackPlace &place = places_.found()[at];
            known_.push_back(std::make_shared<const ThreadPlace>(
                ThreadPlace{named_wait(place, names_), place.wait.in_runtime,
                            place.wait.before_body, place.wait.in_handler, false}));
        }
        ThreadPlaces by_thread;
        for (std::size_t at = 0; at < gdb_nums.size(); ++at) {
            by_thread[gdb_nums[at]] = found[at] ? known_[*found[at]] : without_stack(gdb_nums[at]);
        }
        return by_thread;
    }

private:
    ThreadPlaceRef without_stack(int gdb_num) {
        ThreadPlace place;
        place.is_unreadable = names_.is_unreadable(gdb_num);
        if (place.is_unreadable) {
            Wait wait;
            wait.entry_point = unnamed;
            place.wait = std::make_shared<const Wait>(std::move(wait));
        }
        return std::make_shared<const ThreadPlace>(std::move(place));
    }

    std::vector<StackPlaces::Read> reads_of(const std::vector<int> &gdb_nums,
                                            const py::dict &stacks) {
        std::vector<StackPlaces::Read> reads;
        if (unwinder_ == nullptr) {
            reads.resize(gdb_nums.size());
            return reads;
        }
        ThreadStacks of_threads;
        for (const int gdb_num : gdb_nums) {
            const py::int_ number(gdb_num);
            of_threads.push_back(stacks.contains(number)
                                     ? stacks[number].cast<std::optional<ThreadStack *>>()
                                     : std::nullopt);
        }
        for (auto &read : read_threads(reader_, *unwinder_, of_threads)) {
            reads.push_back(read.value_or(nullptr));
        }
        return reads;
    }

    WaitReader &reader_;
    Unwinder *unwinder_;
    PythonNames names_;
    StackPlaces places_;
    std::vector<ThreadPlaceRef> known_;  // by the places' numbers
};

}  // namespace

void init_stack_places(py::module_ &module) {
    py::class_<SourcePlace, std::shared_ptr<SourcePlace>>(
        module, "SourcePlace",
        "A place in the source as the debugger names it. IN_SYSTEM_HEADER tells that its file came "
        "with the compiler or the system, IS_PASSED_OVER that its function starts a stack or is "
        "between the user's code and what that calls.")
        .def(py::init<ModelLocation, bool, bool>(), py::arg("location"),
             py::arg("in_system_header") = false, py::arg("is_passed_over") = false);
    py::class_<PlacesReader>(
        module, "PlacesReader",
        "The places in the user's code of one inferior's threads at one stop. AROUND gives the "
        "frames around the user's innermost, NAMES is the debugger's part: see PlaceNames.")
        .def(py::init<WaitReader &, std::optional<Unwinder *>, WholeStacks &,
                      const Typed<"PlaceNames"> &>(),
             py::arg("reader"), py::arg("unwinder"), py::arg("around"), py::arg("names"),
             py::keep_alive<1, 2>(), py::keep_alive<1, 3>(), py::keep_alive<1, 4>())
        .def("read", &PlacesReader::read, py::arg("gdb_nums"), py::arg("stacks"),
             "Return the places of threads, of which STACKS are those that are known.");
}

}  // namespace gdb_ompd
