// SPDX-License-Identifier: Apache-2.0
// What readers of runtimes tell, as tuples: Python makes its model of them in one place.
#include "runtimes/family.hpp"
#include "runtimes/ompd_reader.hpp"

#include "runtimes.hpp"

namespace gdb_ompd {

NativeThread to_native(const py::handle &row) {
    const auto fields = py::cast<py::tuple>(row);  // inferior, gdb_num, lwp, pthread_id, running
    NativeThread native;
    native.gdb_num = fields[1].cast<int>();
    native.lwp = fields[2].cast<std::uint64_t>();
    native.pthread_id = fields[3].cast<std::optional<std::uint64_t>>();
    native.running = fields[4].cast<bool>();
    return native;
}

std::vector<NativeThread> to_natives(const py::sequence &rows) {
    std::vector<NativeThread> natives;
    natives.reserve(rows.size());
    for (const py::handle row : rows) {
        natives.push_back(to_native(row));
    }
    return natives;
}

py::object to_python(TaskKind kind) {
    static constexpr std::array names{"initial", "implicit", "explicit"};
    return word(names.at(static_cast<std::size_t>(kind)));
}

py::object to_python(Whereabouts where) {
    static constexpr std::array places{"queued", "blocked on dependences", "suspended", "detached"};
    return word(places.at(static_cast<std::size_t>(where)));
}

namespace {

py::object to_python(ThreadKind kind) {
    static constexpr std::array names{"initial", "worker", "helper", "native"};
    return word(names.at(static_cast<std::size_t>(kind)));
}

py::object to_python(const std::string &text) { return word(text.c_str()); }
py::object to_python(TargetAddr address) { return py::int_(address.value); }
py::object to_python(bool value) { return py::bool_(value); }
py::object to_python(int value) { return py::int_(value); }
py::object to_python(ompd_word_t value) { return py::int_(value); }
py::object to_python(std::uint64_t value) { return py::int_(value); }

template <class T> py::object to_python(const std::optional<T> &value) {
    return value ? to_python(*value) : py::none();
}

// Takes down where facts come from that are not the library's, and what failed for those
// that are not known.
class Doubts {
public:
    template <class T> py::object value(const char *name, const Fact<T> &fact) {
        if (fact.source != nullptr || fact.failed != nullptr) {
            add(name, fact.source, fact.failed, fact.code);
        }
        return to_python(fact.value);
    }

    void add(const char *name, const char *source, const char *failed, ompd_rc_t code) {
        const auto text = [](const char *each) {
            return each == nullptr ? py::object(py::none()) : word(each);
        };
        rows_.push_back(
            py::make_tuple(word(name), text(source), text(failed), static_cast<int>(code)));
    }

    // None where there are none, as nearly always.
    [[nodiscard]] py::object rows() const {
        if (rows_.empty()) {
            return py::none();
        }
        py::tuple found(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            found[i] = rows_[i];
        }
        return found;
    }

private:
    std::vector<py::tuple> rows_;
};

template <class Items, class Convert> py::tuple each(const Items &items, Convert &&convert) {
    py::tuple found(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        found[i] = convert(items[i]);
    }
    return found;
}

py::object to_python(const Membership &membership) {
    return py::make_tuple(to_python(membership.thread_num), to_python(membership.team_size));
}

// The numbers and sizes of a thread's teams but the innermost.
std::span<const Membership> outside(const ThreadFacts &facts) {
    return std::span(facts.memberships).subspan(facts.memberships.empty() ? 0 : 1);
}

// Whether all is the same of two threads but their numbers.
bool are_alike(const ThreadFacts &one, const ThreadFacts &other) {
    const auto rest = [](const ThreadFacts &facts) {
        const Fact<int> &number = facts.thread_num;
        return std::tie(facts.kind, facts.idle, number.source, number.failed, number.code,
                        facts.team_size, facts.level, facts.active_level, facts.memberships_failed,
                        facts.region, facts.state, facts.wait_id, facts.task, facts.error);
    };
    return rest(one) == rest(other) && std::ranges::equal(outside(one), outside(other));
}

// What a row says beside the thread's numbers.
py::tuple others_of(const ThreadFacts &facts) {
    Doubts doubts;
    py::tuple others(12);
    others[0] = doubts.value("kind", facts.kind);
    doubts.value("thread_num", facts.thread_num);
    others[1] = facts.idle;
    others[2] = doubts.value("team_size", facts.team_size);
    others[3] = doubts.value("level", facts.level);
    others[4] = doubts.value("active_level", facts.active_level);
    others[5] = each(outside(facts), [](const Membership &one) { return to_python(one); });
    others[6] = doubts.value("region", facts.region);
    others[7] = doubts.value("state", facts.state);
    others[8] = to_python(facts.wait_id);
    others[9] = doubts.value("task", facts.task);
    others[10] = facts.error.empty() ? py::object(py::none()) : to_text(facts.error);
    if (facts.memberships_failed != nullptr) {
        doubts.add("memberships", nullptr, facts.memberships_failed, ompd_rc_unavailable);
    }
    others[11] = doubts.rows();
    return others;
}

// What is the same of many threads is one object of theirs.
py::list to_rows(const std::vector<ThreadFacts> &threads) {
    py::list rows(threads.size());
    py::object others;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        const ThreadFacts &facts = threads[i];
        if (i == 0 || !are_alike(facts, threads[i - 1])) {
            others = others_of(facts);
        }
        const py::object innermost = facts.memberships.empty()
                                         ? py::object(py::none())
                                         : to_python(facts.memberships.front());
        rows[i] = py::make_tuple(to_python(facts.thread_num.value), innermost, others);
    }
    return rows;
}

py::tuple to_row(const RegionFacts &facts) {
    Doubts doubts;
    py::tuple row(10);
    row[0] = facts.identity;
    row[1] = doubts.value("parent", facts.parent);
    row[2] = doubts.value("level", facts.level);
    row[3] = doubts.value("active_level", facts.active_level);
    row[4] = doubts.value("team_size", facts.team_size);
    row[5] = each(facts.threads, [](const std::optional<int> &one) { return to_python(one); });
    row[6] = to_python(facts.caller.value);
    row[7] = doubts.value("function", facts.function);
    row[8] = to_python(facts.primary);
    if (facts.threads_failed != nullptr) {
        doubts.add("threads", nullptr, facts.threads_failed, ompd_rc_unavailable);
    }
    row[9] = doubts.rows();
    return row;
}

py::tuple to_row(const TaskFacts &facts) {
    Doubts doubts;
    py::tuple row(12);
    row[0] = facts.gdb_num;
    row[1] = facts.depth;
    row[2] = facts.identity;
    row[3] = doubts.value("kind", facts.kind);
    row[4] = doubts.value("final", facts.final_task);
    row[5] = doubts.value("frames", facts.enter_frame);
    row[6] = to_python(facts.exit_frame.value);
    row[7] = doubts.value("function", facts.function);
    row[8] = doubts.value("region", facts.region);
    row[9] = doubts.value("generating", facts.generating);
    row[10] = doubts.value("scheduling", facts.scheduling);
    row[11] = doubts.rows();
    return row;
}

py::tuple to_row(const IcvFacts &facts) {
    Doubts doubts;
    py::tuple row(7);
    row[0] = word(facts.icv->name.c_str());
    row[1] = static_cast<int>(facts.icv->scope);
    row[2] = to_python(facts.gdb_num);
    row[3] = to_python(facts.region);
    row[4] = doubts.value("number", facts.number);
    const bool has_text = facts.text.known();
    row[5] = has_text ? py::object(to_text(*facts.text.value)) : py::object(py::none());
    if (facts.text.source != nullptr || facts.text.failed != nullptr) {
        doubts.add("text", facts.text.source, facts.text.failed, facts.text.code);
    }
    row[6] = doubts.rows();
    return row;
}

template <class Facts> py::list to_rows(const std::vector<Facts> &facts) {
    py::list rows(facts.size());
    for (std::size_t i = 0; i < facts.size(); ++i) {
        rows[i] = to_row(facts[i]);
    }
    return rows;
}

py::object to_python(const WaitingTaskFacts &task) {
    return py::make_tuple(task.identity, to_python(task.where), to_python(task.function),
                          to_python(task.final_task), to_python(task.queue),
                          to_python(task.creator), to_python(task.creator_function),
                          to_python(task.creator_region), to_python(task.creator_thread_num),
                          to_python(task.region), to_python(task.generated_by));
}

py::object waiting_tasks(RuntimeReader &reader) {
    const auto found = reader.waiting_tasks();
    if (!found) {
        return py::none();
    }
    return py::make_tuple(
        each(found->tasks, [](const WaitingTaskFacts &one) { return to_python(one); }),
        each(found->notes, [](const std::string &note) { return to_text(note); }));
}

py::list control_variables(RuntimeReader &reader) {
    py::list rows;
    for (const ControlVariable &one : reader.control_variables()) {
        rows.append(py::make_tuple(
            to_text(one.name), one.value ? py::object(to_text(*one.value)) : py::object(py::none()),
            one.source == nullptr ? py::object(py::none()) : word(one.source)));
    }
    return rows;
}

py::tuple versions(RuntimeReader &reader) {
    const Versions found = reader.versions();
    return py::make_tuple(found.api, to_text(found.library), to_python(found.omp.value),
                          found.omp_text.known() ? py::object(to_text(*found.omp_text.value))
                                                 : py::object(py::none()));
}

// What is asked of one thread, in a breakpoint's condition.
void def_one_thread(py::class_<RuntimeReader> &reader) {
    reader
        .def(
            "place",
            [](RuntimeReader &self, const py::handle &native) -> py::object {
                const auto place = self.place(to_native(native));
                if (!place) {
                    return py::none();
                }
                return py::make_tuple(place->thread_num, place->team_size, place->level,
                                      place->active_level);
            },
            py::arg("native"))
        .def(
            "knows",
            [](RuntimeReader &self, const py::handle &native) {
                return self.knows(to_native(native));
            },
            py::arg("native"))
        .def(
            "memberships",
            [](RuntimeReader &self, const py::handle &native) {
                const auto found = self.memberships(to_native(native));
                return each(found, [](const Membership &one) { return to_python(one); });
            },
            py::arg("native"))
        .def(
            "task_kind",
            [](RuntimeReader &self, const py::handle &native) {
                return to_python(self.task_kind(to_native(native)).value);
            },
            py::arg("native"))
        .def(
            "state",
            [](RuntimeReader &self, const py::handle &native) {
                return to_python(self.state(to_native(native)).value);
            },
            py::arg("native"))
        .def(
            "icv",
            [](RuntimeReader &self, const py::handle &native,
               const std::string &name) -> py::object {
                const auto found = self.icv(to_native(native), name);
                return found ? py::object(to_row(*found)) : py::object(py::none());
            },
            py::arg("native"), py::arg("name"));
}

}  // namespace

void init_reader(py::module_ &module) {
    module.def(
        "runtime_family",
        [](const ElfImage &elf, bool is_executable) -> std::optional<const char *> {
            constexpr std::array<const char *, 3> words{"llvm", "gnu", "other"};
            const auto family = family_of(elf, is_executable);
            return family ? std::optional(words.at(static_cast<std::size_t>(*family)))
                          : std::nullopt;
        },
        py::arg("elf"), py::arg("is_executable"));
    module.def("is_stripped_runtime", &is_stripped_runtime, py::arg("elf"));
    py::class_<RuntimeReader> reader(module, "RuntimeReader");
    reader
        .def(
            "read",
            [](RuntimeReader &self, const py::sequence &natives) {
                const StopFacts &facts = self.read(to_natives(natives));
                return py::make_tuple(to_rows(facts.threads), to_rows(facts.regions));
            },
            py::arg("natives"))
        .def(
            "tasks",
            [](RuntimeReader &self, const std::vector<int> &gdb_nums) {
                return to_rows(self.tasks(gdb_nums));
            },
            py::arg("gdb_nums"))
        .def(
            "implicit_tasks",
            [](RuntimeReader &self, int region) { return to_rows(self.implicit_tasks(region)); },
            py::arg("region"))
        .def(
            "icvs",
            [](RuntimeReader &self, const std::vector<int> &gdb_nums,
               const std::vector<int> &regions) { return to_rows(self.icvs(gdb_nums, regions)); },
            py::arg("gdb_nums"), py::arg("regions"))
        .def("control_variables", &control_variables)
        .def("waiting_tasks", &waiting_tasks)
        .def("versions", &versions)
        .def("end_stop", &RuntimeReader::end_stop);
    def_one_thread(reader);
    py::class_<OmpdReader, RuntimeReader>(module, "OmpdReader")
        .def(py::init<std::shared_ptr<Library>, std::shared_ptr<AddressSpace>>(),
             py::arg("library").none(false), py::arg("space").none(false))
        .def("read_from_kernel", &OmpdReader::read_from_kernel, py::arg("process"));
}

}  // namespace gdb_ompd
