// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include "imagined.hpp"

#include <algorithm>
#include <cstdio>

namespace libgompd {

namespace {

constexpr const char *file = "libgomp.so.1";
// More than any program's thread-local storage before the thread pointer, or behind it.
constexpr std::int64_t farthest_record = std::int64_t{1} << 30;
constexpr const char *first_getter = "omp_get_thread_num";
constexpr const char *icvs_getter = "omp_get_max_threads";
constexpr const char *final_getter = "omp_in_final";

// The newest first: each exports what the older ones do.
constexpr std::array<Family, 3> families{{
    {"GCC 13 or later", "omp_in_explicit_task", 88, 96, 104, 88, 160, 200, 216, 221, 224},
    {"GCC 11 or 12", "omp_fulfill_event", 88, 96, 104, 88, 152, 192, 208, 213, 216},
    {"GCC 9 or 10", "omp_get_affinity_format", 80, 88, 96, 80, 144, 184, 200, 205, 208},
}};

// Tell the user why, and give up.
[[noreturn]] void refuse(const char *why, const char *function) {
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), "libgompd: this libgomp is not served: %s (%s)\n", why,
                  function);
    print(text.data());
    throw Refused{ompd_rc_incompatible};
}

std::uint64_t function(const Interpreted &target, const char *name) {
    const auto found = runtime_symbol(target, name);
    if (!found) {
        refuse("it has no function of that name", name);
    }
    return *found;
}

// The only place that what FUNCTION returns depends on.
Path path_read(const Interpreted &target, const char *name, std::int64_t planted_at = 0,
               std::uint64_t planted = 0) {
    ImaginedThread thread(target);
    if (planted_at != 0) {
        thread.plant(planted_at, planted);
    }
    const Ending ending = thread.call(function(target, name));
    const auto path =
        ending.how == Ending::How::returned ? thread.path_of(ending.result) : std::nullopt;
    if (!path) {
        refuse("its code is not what is known", name);
    }
    return *path;
}

// The variable that what NAME returns is read from, whatever is at REPLACED.
std::optional<IcvPlace> variable_read(const Interpreted &target, std::uint64_t function,
                                      const std::optional<std::int64_t> &no_task) {
    const auto call = [&](ImaginedThread &thread) {
        if (no_task) {
            thread.plant(*no_task, 0);
        }
        return thread.call(function);
    };
    ImaginedThread plain(target);
    const Ending first = call(plain);
    if (first.how == Ending::How::refused) {
        return std::nullopt;
    }
    const auto said = [](const Ending &ending) {
        return ending.how == Ending::How::called ? ending.first : ending.result;
    };
    for (const ImaginedThread::Variable &each : plain.variables()) {
        ImaginedThread changed(target);
        const std::uint64_t other = each.value ^ 1U;
        changed.replace(each.address, other);
        const Ending ending = call(changed);
        const bool is_same_way = ending.how == first.how && said(first) == each.value;
        if (is_same_way && said(ending) == other) {
            return IcvPlace{IcvPlace::In::variable, each.address, each.size};
        }
    }
    return std::nullopt;
}

// Where the ICV is that the function called NAME returns, or stores as number STORED.
IcvPlace icv_place(const Interpreted &target, const Layout &layout, const char *name,
                   int stored = -1) {
    const auto address = runtime_symbol(target, name);
    if (!address) {
        return {};
    }
    ImaginedThread thread(target);
    const Ending ending = stored >= 0 ? thread.call_for_results(*address) : thread.call(*address);
    const auto value = stored >= 0                           ? thread.stored(stored)
                       : ending.how == Ending::How::returned ? std::optional(ending.result)
                                                             : std::nullopt;
    const auto path = value ? thread.path_of(*value) : std::nullopt;
    if (!path) {
        return variable_read(target, *address, std::nullopt).value_or(IcvPlace{});
    }
    const Path expected{{layout.record + layout.family.task, path->offsets[1]}, 2, path->size};
    const std::int64_t offset = path->offsets[1] - layout.family.icvs;
    if (*path != expected || offset < 0 || offset >= 32) {
        return {};
    }
    // A getter reads the lower half of what is wider.
    return {IcvPlace::In::task, static_cast<std::uint64_t>(offset),
            std::min<std::size_t>(path->size, 4)};
}

// The processors that were counted at the start are told where there are places.
IcvPlace processors_place(const Interpreted &target) {
    const auto address = runtime_symbol(target, "omp_get_num_procs");
    if (!address) {
        return {};
    }
    ImaginedThread plain(target);
    if (plain.call(*address).how == Ending::How::returned) {
        return variable_read(target, *address, std::nullopt).value_or(IcvPlace{});
    }
    for (const ImaginedThread::Variable &places : plain.variables()) {
        ImaginedThread thread(target);
        thread.replace(places.address, 1);
        const Ending ending = thread.call(*address);
        if (places.size != 8 || places.value != 0 || ending.how != Ending::How::returned) {
            continue;
        }
        for (const ImaginedThread::Variable &each : thread.variables()) {
            if (each.address != places.address && each.value == ending.result) {
                return {IcvPlace::In::variable, each.address, each.size};
            }
        }
    }
    return {};
}

void expect(const Path &path, const Path &expected, const char *name) {
    if (path != expected) {
        refuse("its records are not laid out as in any known version", name);
    }
}

// By the ABI a program's thread-local storage ends at the thread pointer on x86-64, and begins
// behind the control block there on aarch64.
bool is_thread_local(const Interpreted &target, std::int64_t distance) {
    return target.machine() == Machine::x86_64 ? distance < 0 && distance >= -farthest_record
                                               : distance >= 16 && distance <= farthest_record;
}

// On x86-64 the C library's id of a thread is its thread pointer; elsewhere its code tells.
std::optional<std::int64_t> pthread_place(const Interpreted &target) {
    if (target.machine() == Machine::x86_64) {
        return 0;
    }
    const auto self = target.symbol("pthread_self", nullptr);
    if (!self) {
        return std::nullopt;
    }
    const Ending ending = ImaginedThread(target).call(*self);
    return ending.how == Ending::How::returned ? ImaginedThread::distance(ending.result)
                                               : std::nullopt;
}

// What is the same in every family: a thread's place in its team.
std::int64_t prove_place(const Interpreted &target) {
    const Path number = path_read(target, first_getter);
    const std::int64_t record = number.offsets[0] - offsets::state - offsets::team_id;
    if (record == 0) {
        throw Refused{ompd_rc_unavailable};  // not relocated: the program is being loaded
    }
    if (number.depth != 1 || number.size != 4 || !is_thread_local(target, record)) {
        refuse("its code is not what is known", first_getter);
    }
    const std::int64_t state = record + offsets::state;
    const std::int64_t level = state + offsets::level;
    expect(path_read(target, "omp_get_level"), {{level}, 1, 4}, "omp_get_level");
    expect(path_read(target, "omp_get_active_level"), {{state + offsets::active_level}, 1, 4},
           "omp_get_active_level");
    expect(path_read(target, "omp_get_num_threads"), {{state, offsets::team_size}, 2, 4},
           "omp_get_num_threads");
    // At level 1 the team around level 0 is that of the thread before it began the region.
    expect(path_read(target, "omp_get_team_size", level, 1),
           {{state, offsets::outer_state, offsets::team_size}, 3, 4}, "omp_get_team_size");
    expect(path_read(target, "omp_get_ancestor_thread_num", level, 1),
           {{state, offsets::outer_state + offsets::team_id}, 2, 4}, "omp_get_ancestor_thread_num");
    return record;
}

// What the code tells of a layout like a known one, but with more before some fields.
class UnknownLayout {
public:
    UnknownLayout(const Interpreted &target, std::int64_t record)
        : target_(target), record_(record) {}

    // The newest family's with other places, each found in the code or between two that are.
    [[nodiscard]] Family found(std::int64_t task, std::int64_t icvs) const {
        const Family &newest = families.front();
        const std::int64_t later = icvs - newest.icvs;
        Family family = newest;
        family.name = "an unknown release (unverified layout)";
        family.task = task;
        family.release = task + (newest.release - newest.task);
        family.pool = task + (newest.pool - newest.task);
        family.icvs = icvs;
        family.function = newest.function + later;
        family.kind = newest.kind + later;
        family.final_task = newest.final_task + later;
        if (task < offsets::state + offsets::outer_state || icvs < offsets::parent + 8 ||
            static_cast<std::size_t>(family.pool) + 8 > largest_thread) {
            disagree(icvs_getter);
        }
        add_team(family);
        return family;
    }

private:
    [[noreturn]] static void disagree(const char *name) {
        refuse("its records are not laid out as in any known version", name);
    }

    void add_team(Family &family) const {
        const std::uint64_t maker = team_maker();
        ImaginedThread alone(target_);
        alone.plant(record_ + offsets::state, 0);
        static_cast<void>(alone.call({.function = maker, .first = 2}));
        if (!alone.was_loaded({{record_ + family.pool}, 1, 8})) {
            disagree(team_user);
        }
        // A team is allocated with the implicit task and a place in the list of each thread.
        const std::uint64_t size = room_for(maker, 3) - room_for(maker, 2);
        if (room_for(maker, 9) - room_for(maker, 2) != 7 * size || size % 8 != 0 ||
            size > largest_task || size < static_cast<std::uint64_t>(family.final_task) + 9) {
            disagree(team_user);
        }
        family.task_size = size - 8;
        family.members = members();
    }

    // What makes the record of a team: the second that this function calls.
    [[nodiscard]] std::uint64_t team_maker() const {
        const Ending ending = ImaginedThread(target_).call(
            {.function = function(target_, team_user), .passed_calls = 1, .returned = 2});
        if (ending.how != Ending::How::called || ending.callee == 0 || ending.first != 2) {
            disagree(team_user);
        }
        return ending.callee;
    }

    // How much memory it asks for, aligned to cache lines.
    [[nodiscard]] std::uint64_t room_for(std::uint64_t maker, std::uint64_t threads) const {
        const Ending ending = ImaginedThread(target_).call({.function = maker, .first = threads});
        if (ending.how != Ending::How::called || ending.first != 64) {
            disagree(team_user);
        }
        return ending.second;
    }

    // A thread whose turn it is not waits for the semaphore that the team has of it.
    [[nodiscard]] std::int64_t members() const {
        constexpr const char *name = "GOMP_ordered_start";
        ImaginedThread thread(target_);
        static_cast<void>(thread.call(function(target_, name)));
        const Path path = thread.last_loaded();
        if (path.depth != 4 || path.offsets[0] != record_ + offsets::state ||
            path.offsets[3] != 0 || path.size != 4 || path.offsets[1] < 0 ||
            static_cast<std::size_t>(path.offsets[1]) + 8 > largest_team) {
            disagree(name);
        }
        return path.offsets[1];
    }

    static constexpr const char *team_user = "GOMP_parallel_start";

    const Interpreted &target_;
    std::int64_t record_;
};

// The linker takes of a static libgomp what the program calls, which may be no getter of the ICVs'.
// A known family's records are told apart by where a task keeps whether it is final.
Family known_family(const Interpreted &target, std::int64_t record) {
    const Path final_task = path_read(target, final_getter);
    const auto *const known = std::ranges::find_if(families, [&](const Family &each) {
        return final_task == Path{{record + each.task, each.final_task}, 2, 1} &&
               runtime_symbol(target, each.marker);
    });
    if (known == families.end()) {
        refuse("its records are not laid out as in any known version", final_getter);
    }
    return *known;
}

Family family_by_icvs(const Interpreted &target, std::int64_t record) {
    const Path icvs = path_read(target, icvs_getter);
    const std::int64_t task = icvs.offsets[0] - record;
    const Family *const known =
        std::find_if(families.begin(), families.end(), [&](const Family &each) {
            return each.task == task && each.icvs == icvs.offsets[1] &&
                   runtime_symbol(target, each.marker);
        });
    if (icvs.depth != 2 || (icvs.size != 4 && icvs.size != 8)) {
        refuse("its records are not laid out as in any known version", icvs_getter);
    }
    if (known == families.end() && !runtime_symbol(target, families.front().marker)) {
        refuse("its records are not laid out as in any known version", icvs_getter);
    }
    const Family family = known != families.end()
                              ? *known
                              : UnknownLayout(target, record).found(task, icvs.offsets[1]);
    expect(path_read(target, final_getter), {{record + task, family.final_task}, 2, 1},
           final_getter);
    return family;
}

Family prove_family(const Interpreted &target, std::int64_t record) {
    const Family family = runtime_symbol(target, icvs_getter) ? family_by_icvs(target, record)
                                                              : known_family(target, record);
    // Of an older one it is another runtime's in the process.
    const char *const marker = families.front().marker;
    const auto newest = family.marker == marker ? runtime_symbol(target, marker) : std::nullopt;
    if (newest) {
        ImaginedThread thread(target);
        static_cast<void>(thread.call(*newest));
        if (!thread.was_loaded({{record + family.task, family.kind}, 2, 4})) {
            refuse("its records are not laid out as in any known version", family.marker);
        }
    }
    return family;
}

}  // namespace

std::optional<std::uint64_t> runtime_symbol(const Target &target, const char *name) {
    return target.symbol(name, file);
}

Machine machine_of(ompd_address_space_context_t *context) {
    const Interpreted target(Target(context, Machine::aarch64));
    const auto getter = runtime_symbol(target, first_getter);
    ImaginedThread thread(target);
    const Ending ending = getter ? thread.call(*getter) : Ending{};
    const bool is_read = ending.how == Ending::How::returned && thread.path_of(ending.result);
    return is_read ? Machine::aarch64 : Machine::x86_64;
}

Layout prove(const Target &program) {
    const Interpreted target(program);
    Layout layout;
    layout.record = prove_place(target);
    layout.pthread = pthread_place(target);
    layout.family = prove_family(target, layout.record);
    if (const auto getter = runtime_symbol(target, icvs_getter)) {
        const auto initial = variable_read(target, *getter, layout.record + layout.family.task);
        if (!initial) {
            refuse("its code is not what is known", icvs_getter);
        }
        layout.initial_icvs = initial->where;
    }
    const auto place = [&](const char *name, int stored = -1) {
        return icv_place(target, layout, name, stored);
    };
    layout.nthreads = place(icvs_getter);
    layout.dynamic = place("omp_get_dynamic");
    layout.schedule = place("omp_get_schedule", 0);
    layout.chunk = place("omp_get_schedule", 1);
    layout.thread_limit = place("omp_get_thread_limit");
    layout.max_active_levels = place("omp_get_max_active_levels");
    layout.bind = place("omp_get_proc_bind");
    layout.default_device = place("omp_get_default_device");
    layout.cancellation = place("omp_get_cancellation");
    layout.max_task_priority = place("omp_get_max_task_priority");
    layout.affinity_format = place("omp_get_affinity_format");
    layout.processors = processors_place(target);
    return layout;
}

}  // namespace libgompd
