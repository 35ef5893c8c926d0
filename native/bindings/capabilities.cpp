// SPDX-License-Identifier: Apache-2.0
#include "runtimes/capabilities.hpp"
#include "elf/elf.hpp"
#include "runtimes/llvm/private_fields.hpp"

#include "bindings.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace gdb_ompd {

namespace {

using GivenPlace = std::pair<std::uint64_t, std::size_t>;

std::map<std::string, GivenPlace> places_of(const llvm::PrivateFields &fields) {
    std::map<std::string, GivenPlace> found;
    for (const auto &[name, place] : fields.places()) {
        found.emplace(name, GivenPlace{place.offset, place.size});
    }
    return found;
}

llvm::PrivateFields with_places(const std::map<std::string, GivenPlace> &given) {
    llvm::PrivateFields::Places places;
    for (const auto &[name, place] : given) {
        places.emplace(name, llvm::FieldPlace{place.first, place.second});
    }
    return llvm::PrivateFields(std::move(places));
}

}  // namespace

void init_capabilities(py::module_ &module) {
    py::class_<llvm::PrivateFields>(
        module, "PrivateFields",
        "Where LLVM's runtime keeps what OMPD does not publish: offset and size in bytes by "
        "``record.field``, in bits for a field of bits, of an enumeration's constant its number.")
        .def(py::init(&with_places), py::arg("places"))
        .def_static("of_debug_information", &llvm::PrivateFields::of_debug_information,
                    py::arg("file"),
                    "Return those that a file's debug information has, None where it has none.")
        .def_static("names", &llvm::PrivateFields::names,
                    "Return the names of all places that are of use.")
        .def_property_readonly("places", &places_of);
    py::class_<Capabilities, std::shared_ptr<Capabilities>>(
        module, "Capabilities", "What OMPD has no word for, as a runtime records it, at one stop.")
        .def("knows", &Capabilities::knows, py::arg("gdb_num"),
             "Tell whether a thread is this runtime's.")
        .def(
            "place",
            [](const Capabilities &self, int gdb_num) {
                const OmpPlace found = self.place(gdb_num);
                return std::pair(found.number, found.partition);
            },
            py::arg("gdb_num"),
            "Return the number of the OpenMP place that a thread is bound to, and the first and "
            "the "
            "last place of its partition; None for what is not known.");
}

}  // namespace gdb_ompd
