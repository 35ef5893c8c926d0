// SPDX-License-Identifier: Apache-2.0
#include "base/kernel_memory.hpp"
#include "elf/address_space.hpp"
#include "runtimes/llvm/thread_records.hpp"
#include "unwind/unwinder.hpp"

#include "bindings.hpp"

#include <algorithm>
#include <vector>

namespace gdb_ompd {

namespace {

using Place = std::pair<std::uint64_t, std::size_t>;

FieldPlace to_field(const Place &place) { return {place.first, place.second}; }

RecordLayout make_layout(std::uint64_t threads, std::uint64_t info,
                         const std::array<Place, 6> &thread, const std::array<Place, 2> &task) {
    return {TargetAddr{threads}, info,
            to_field(thread[0]), to_field(thread[1]),
            to_field(thread[2]), to_field(thread[3]),
            to_field(thread[4]), to_field(thread[5]),
            to_field(task[0]),   to_field(task[1])};
}

// Whatever keeps one thread from being read is told when it is asked by itself; an
// interrupt by the user is no such thing.
template <class Ask> py::object unless_it_fails(const py::object &otherwise, Ask &&ask) {
    try {
        return ask();
    } catch (py::error_already_set &error) {
        if (!error.matches(PyExc_Exception)) {
            throw;
        }
    } catch (const std::exception &) {
        return otherwise;
    }
    return otherwise;
}

py::object to_tuple(const ThreadRecord &thread) {
    return py::make_tuple(thread.gtid, thread.address.value, thread.pthread_id, thread.thread_num,
                          thread.team, thread.task, thread.state, thread.wait_id, thread.task_flags,
                          thread.task_team);
}

py::list thread_records(AddressSpace &space, const RecordLayout &layout,
                        const std::vector<std::optional<std::uint64_t>> &pointers) {
    py::list found;
    py::object failed = py::tuple();
    for (const auto &pointer : pointers) {
        found.append(unless_it_fails(failed, [&]() -> py::object {
            if (!pointer) {
                return failed;
            }
            const auto thread = read_thread(space, layout, TargetAddr{*pointer});
            return thread ? to_tuple(*thread) : py::none();
        }));
    }
    return found;
}

py::list records_from_kernel(AddressSpace &space, const RecordLayout &layout,
                             const std::vector<std::optional<std::uint64_t>> &pointers, int process,
                             std::int64_t own_number) {
    py::list found;
    const py::object failed = py::tuple();
    const InKernel where{process, static_cast<std::uint64_t>(own_number)};
    for (const RecordRead &one : read_threads(space, layout, where, pointers)) {
        switch (one.kind) {
        case RecordRead::Kind::read:
            found.append(to_tuple(one.record));
            break;
        case RecordRead::Kind::unknown:
            found.append(py::none());
            break;
        case RecordRead::Kind::unread:
            found.append(failed);
            break;
        }
    }
    return found;
}

// Places in a process's memory that are read again and again.
class Places {
public:
    explicit Places(const std::vector<std::pair<py::int_, std::size_t>> &places) {
        for (const auto &[address, size] : places) {
            places_.emplace_back(to_address(address), size);
            total_ += size;
        }
    }

    [[nodiscard]] py::object read(int process) const {
        py::bytes found(nullptr, total_);
        const auto bytes =
            std::as_writable_bytes(std::span(PyBytes_AS_STRING(found.ptr()), total_));
        std::vector<Piece> pieces;
        pieces.reserve(places_.size());
        std::size_t at = 0;
        for (const auto &[address, size] : places_) {
            pieces.push_back({address, bytes.subspan(at, size)});
            at += size;
        }
        read_pieces(process, pieces);
        const bool all = std::all_of(pieces.begin(), pieces.end(),
                                     [](const Piece &piece) { return piece.is_read; });
        return all ? py::object(found) : py::none();
    }

private:
    std::vector<std::pair<TargetAddr, std::size_t>> places_;
    std::size_t total_ = 0;
};

// Instances of a frozen dataclass with slots: its own constructor sets each field by a call.
py::list instances(const py::type &type, const py::list &rows) {
    auto *const made_of = reinterpret_cast<PyTypeObject *>(type.ptr());
    std::vector<py::object> slots;
    for (const py::handle name : type.attr("__slots__")) {
        slots.push_back(type.attr(name));
    }
    py::list found(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto values = py::cast<py::tuple>(rows[i]);
        if (values.size() != slots.size()) {
            throw py::value_error("a row must have a value for each field");
        }
        auto made = py::reinterpret_steal<py::object>(made_of->tp_alloc(made_of, 0));
        if (!made) {
            throw py::error_already_set();
        }
        for (std::size_t field = 0; field < slots.size(); ++field) {
            const auto set = Py_TYPE(slots[field].ptr())->tp_descr_set;
            if (set == nullptr ||
                set(slots[field].ptr(), made.ptr(), PyTuple_GET_ITEM(values.ptr(), field)) != 0) {
                throw py::error_already_set();
            }
        }
        found[i] = std::move(made);
    }
    return found;
}

py::object addresses_of(Unwinder &unwinder, const std::optional<Registers> &registers,
                        std::optional<int> process = {}, bool whole = false) {
    return unless_it_fails(py::none(), [&]() -> py::object {
        const auto pcs = registers ? unwinder.addresses(*registers, process, whole) : std::nullopt;
        if (!pcs) {
            return py::none();
        }
        py::tuple tuple(pcs->size());
        for (std::size_t i = 0; i < pcs->size(); ++i) {
            tuple[i] = (*pcs)[i];
        }
        return tuple;
    });
}

py::list addresses(Unwinder &unwinder, const std::vector<int> &lwps, std::optional<int> process,
                   bool whole) {
    py::list found;
    for (const int lwp : lwps) {
        found.append(addresses_of(unwinder, thread_registers(lwp), process, whole));
    }
    return found;
}

// DWARF's numbers of the registers that addresses_from is given.
constexpr std::array<std::size_t, 8> given{3, 6, 7, 12, 13, 14, 15, 16};
using Given = std::array<std::uint64_t, given.size()>;

py::list addresses_from(Unwinder &unwinder, const std::vector<std::optional<Given>> &threads) {
    py::list found;
    for (const auto &values : threads) {
        std::optional<Registers> registers;
        if (values) {
            registers.emplace();
            for (std::size_t i = 0; i < given.size(); ++i) {
                (*registers)[given[i]] = (*values)[i];
            }
        }
        found.append(addresses_of(unwinder, registers));
    }
    return found;
}

}  // namespace

void init_bulk(py::module_ &module) {
    py::class_<RecordLayout>(module, "RecordLayout")
        .def(py::init(&make_layout), py::arg("threads"), py::arg("info"), py::arg("thread"),
             py::arg("task"));
    module.def("thread_records", &thread_records, py::arg("space"), py::arg("layout"),
               py::arg("thread_pointers"));
    module.def("thread_records_of_process", &records_from_kernel, py::arg("space"),
               py::arg("layout"), py::arg("thread_pointers"), py::arg("process"),
               py::arg("own_number"));
    py::class_<Places>(module, "Places")
        .def(py::init<const std::vector<std::pair<py::int_, std::size_t>> &>(), py::arg("places"))
        .def("read", &Places::read, py::arg("process"));
    module.def("instances", &instances, py::arg("type"), py::arg("rows"));
    py::class_<Unwinder>(module, "Unwinder")
        .def(py::init([](std::shared_ptr<AddressSpace> space,
                         const std::vector<std::shared_ptr<Module>> &modules,
                         std::vector<Unwinder::Range> foreign) {
                 return std::make_unique<Unwinder>(
                     std::move(space), Modules(modules.begin(), modules.end()), std::move(foreign));
             }),
             py::arg("space").none(false), py::arg("modules"), py::arg("foreign"))
        .def("addresses", &addresses, py::arg("lwps"), py::arg("process") = py::none(),
             py::arg("whole") = false)
        .def("addresses_from", &addresses_from, py::arg("registers"))
        .def("pass_over", &Unwinder::pass_over, py::arg("pc"));
}

}  // namespace gdb_ompd
