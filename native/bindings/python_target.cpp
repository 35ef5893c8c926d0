// SPDX-License-Identifier: Apache-2.0
#include "python_target.hpp"

#include "base/errors.hpp"

#include <cstring>

namespace gdb_ompd {

namespace {

// Contiguous bytes of any object that has some.
class View {
public:
    explicit View(const py::object &object) {
        if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) {
            throw py::error_already_set();
        }
    }
    ~View() { PyBuffer_Release(&buffer_); }
    View(const View &) = delete;
    View &operator=(const View &) = delete;

    [[nodiscard]] std::span<const std::byte> bytes() const {
        return {static_cast<const std::byte *>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
    }

private:
    Py_buffer buffer_{};
};

int under_way = 0;

// The debugger is answering a question.
class Question {
public:
    Question() { ++under_way; }
    ~Question() { --under_way; }
    Question(const Question &) = delete;
    Question &operator=(const Question &) = delete;
};

// ACCESS, whose failure is one of the target's memory.
template <class Access> auto of_memory(Access access) {
    try {
        return access();
    } catch (py::error_already_set &error) {
        // KeyboardInterrupt and its like are no Exception: they are not about memory.
        if (error.matches(PyExc_Exception)) {
            throw MemoryUnreadable(std::current_exception());
        }
        throw;
    }
}

}  // namespace

int questions_under_way() noexcept { return under_way; }

bool PythonTarget::read_memory(TargetAddr address, std::span<std::byte> out) {
    const Question question;
    return of_memory([&] {
        const py::object data = object_.attr("read_memory")(address.value, out.size());
        const View view(data);
        if (view.bytes().size() != out.size()) {
            return false;
        }
        std::memcpy(out.data(), view.bytes().data(), out.size());
        return true;
    });
}

void PythonTarget::write_memory(TargetAddr address, std::span<const std::byte> data) {
    of_memory([&] { return object_.attr("write_memory")(address.value, to_bytes(data)); });
}

std::optional<TargetAddr> PythonTarget::thread_pointer(ompd_thread_id_t kind,
                                                       std::uint64_t thread_id) {
    const Question question;
    const py::object pointer = object_.attr("thread_pointer")(kind, thread_id);
    if (pointer.is_none()) {
        return std::nullopt;
    }
    return TargetAddr{pointer.cast<std::uint64_t>()};
}

void PythonTarget::print_string(std::string_view text, int category) {
    object_.attr("print_string")(to_text(text), category);
}

}  // namespace gdb_ompd
