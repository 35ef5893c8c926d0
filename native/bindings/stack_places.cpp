// SPDX-License-Identifier: Apache-2.0
// Where in the user's code threads are, with the places that Python names.
#include "stop/stack_places.hpp"

#include "facts.hpp"
#include "places.hpp"

#include <utility>
#include <vector>

namespace gdb_ompd {

namespace {

using namespace py::literals;

using ModelLocation = Typed<"Location">;

constexpr auto location_fields = fields("Location", "function", "line", "pc", "code");

// A place in the source as Python has named it.
struct SourcePlace {
    ModelLocation location;
    bool in_system_header = false;
    bool is_passed_over = false;
};

// Asks Python.
class PythonNames : public PlaceNames {
public:
    explicit PythonNames(py::object names) : names_(std::move(names)) {}

    std::vector<std::optional<NamedPlace>> at(std::span<const CodePoint> points) override {
        py::list asked;
        for (const auto &[pc, innermost] : points) {
            asked.append(py::make_tuple(pc, innermost));
        }
        std::vector<std::optional<NamedPlace>> places;
        for (const py::handle given : py::list(names_.attr("at")(asked))) {
            places.push_back(given.is_none() ? std::nullopt
                                             : std::optional(named(given.cast<SourcePlace &>())));
        }
        return places;
    }

    std::vector<NamedPlace> chain(int gdb_num, std::uint64_t pc) override {
        std::vector<NamedPlace> places;
        for (const py::handle given : py::list(names_.attr("chain")(gdb_num, pc))) {
            places.push_back(named(given.cast<SourcePlace &>()));
        }
        return places;
    }

    std::string outermost_called(int gdb_num) override {
        return bytes_of(names_.attr("outermost_called")(gdb_num));
    }

    // The wait of a thread that is FOUND there, as the model has it.
    [[nodiscard]] ModelWait wait_of(const StackPlace &found) const {
        py::object location = py::none();
        if (found.place) {
            location = locations_[*found.place];
        }
        if (found.innermost && found.innermost != found.place) {
            location = location.attr("_replace")("innermost"_a = locations_[*found.innermost]);
        }
        return {names_.attr("wait")(found.gdb_num, found.pc, found.wait, location)};
    }

private:
    NamedPlace named(const SourcePlace &given) {
        const GivenModel location(type_of<location_fields>(), given.location);
        NamedPlace place;
        place.number = locations_.size();
        place.pc = location[location_fields["pc"]].cast<std::uint64_t>();
        place.function = bytes_of(borrowed(location[location_fields["function"]]));
        place.is_in_file = !location[location_fields["code"]].is_none();
        place.has_line = !location[location_fields["line"]].is_none();
        place.in_system_header = given.in_system_header;
        place.is_passed_over = given.is_passed_over;
        locations_.push_back(given.location);
        return place;
    }

    py::object names_;
    std::vector<py::object> locations_;  // by the places' numbers
};

// The places of threads at one stop.
class PlacesReader {
public:
    PlacesReader(WaitReader &reader, std::optional<Unwinder *> unwinder, WholeStacks &around,
                 const Typed<"PlaceNames"> &names)
        : reader_(reader), unwinder_(unwinder.value_or(nullptr)), names_(names),
          places_(reader, names_, unwinder_, [&around](int gdb_num, bool by_debugger) {
              return around.read(gdb_num, by_debugger);
          }) {}

    PlacesByThread read(const std::vector<int> &gdb_nums, const WholeStacks::Stacks &stacks) {
        const auto found = places_.find(gdb_nums, reads_of(gdb_nums, stacks));
        for (std::size_t at = known_.size(); at < places_.found().size(); ++at) {
            const StackPlace &place = places_.found()[at];
            known_.push_back(py::cast(ThreadPlace{names_.wait_of(place), place.wait.in_runtime,
                                                  place.wait.before_body, place.wait.in_handler}));
        }
        py::dict by_thread;
        for (std::size_t at = 0; at < gdb_nums.size(); ++at) {
            if (found[at]) {
                by_thread[py::int_(gdb_nums[at])] = known_[*found[at]];
            }
        }
        return {by_thread};
    }

private:
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
    std::vector<py::object> known_;  // by the places' numbers
};

}  // namespace

void init_stack_places(py::module_ &module) {
    py::class_<SourcePlace>(
        module, "SourcePlace",
        "A place in the source as the debugger names it. IN_SYSTEM_HEADER tells that its file came "
        "with the compiler or the system, IS_PASSED_OVER that its function starts a stack or is "
        "between the user's code and what that calls.")
        .def(py::init<ModelLocation, bool, bool>(), py::arg("location"),
             py::arg("in_system_header"), py::arg("is_passed_over"));
    py::class_<PlacesReader>(
        module, "PlacesReader",
        "The places in the user's code of one inferior's threads at one stop. AROUND gives the "
        "frames around the user's innermost, NAMES is the debugger's part: see PlaceNames.")
        .def(py::init<WaitReader &, std::optional<Unwinder *>, WholeStacks &,
                      const Typed<"PlaceNames"> &>(),
             py::arg("reader"), py::arg("unwinder"), py::arg("around"), py::arg("names"),
             py::keep_alive<1, 2>(), py::keep_alive<1, 3>(), py::keep_alive<1, 4>())
        .def("read", &PlacesReader::read, py::arg("gdb_nums"), py::arg("stacks"),
             "Return the places of threads, of which STACKS are those that are known: none of one "
             "whose stack cannot be told.");
}

}  // namespace gdb_ompd
