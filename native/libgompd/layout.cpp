// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include "imagined.hpp"

#include <algorithm>
#include <cstdio>

namespace libgompd {

namespace {

constexpr const char *file = "libgomp.so.1";
// More than any program's thread-local storage before the thread pointer.
constexpr std::int64_t farthest_record = std::int64_t{1} << 30;

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

std::uint64_t function(const Target &target, const char *name) {
    const auto found = runtime_symbol(target, name);
    if (!found) {
        refuse("it has no function of that name", name);
    }
    return *found;
}

// The only place that what FUNCTION returns depends on.
Path path_read(const Target &target, const char *name, std::int64_t planted_at = 0,
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
std::optional<IcvPlace> variable_read(const Target &target, std::uint64_t function,
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
        return ending.how == Ending::How::called ? ending.argument : ending.result;
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
IcvPlace icv_place(const Target &target, const Layout &layout, const char *name, int stored = -1) {
    const auto address = runtime_symbol(target, name);
    if (!address) {
        return {};
    }
    ImaginedThread thread(target);
    const Ending ending = thread.call(*address, stored >= 0);
    const auto value = stored >= 0                           ? thread.stored(stored)
                       : ending.how == Ending::How::returned ? std::optional(ending.result)
                                                             : std::nullopt;
    const auto path = value ? thread.path_of(*value) : std::nullopt;
    if (!path) {
        return variable_read(target, *address, std::nullopt).value_or(IcvPlace{});
    }
    const Path expected{{layout.record + layout.family->task, path->offsets[1]}, 2, path->size};
    const std::int64_t offset = path->offsets[1] - layout.family->icvs;
    if (*path != expected || offset < 0 || offset >= 32) {
        return {};
    }
    // A getter reads the lower half of what is wider.
    return {IcvPlace::In::task, static_cast<std::uint64_t>(offset),
            std::min<std::size_t>(path->size, 4)};
}

// The processors that were counted at the start are told where there are places.
IcvPlace processors_place(const Target &target) {
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

// What is the same in every family: a thread's place in its team.
std::int64_t prove_place(const Target &target) {
    const Path number = path_read(target, "omp_get_thread_num");
    const std::int64_t record = number.offsets[0] - offsets::state - offsets::team_id;
    if (record == 0) {
        throw Refused{ompd_rc_unavailable};  // not relocated: the program is being loaded
    }
    if (number.depth != 1 || number.size != 4 || record > 0 || record < -farthest_record) {
        refuse("its code is not what is known", "omp_get_thread_num");
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

const Family *prove_family(const Target &target, std::int64_t record) {
    for (const Family &family : families) {
        const auto marker = runtime_symbol(target, family.marker);
        const Path icvs{{record + family.task, family.icvs}, 2, 4};
        Path found = path_read(target, "omp_get_max_threads");
        found.size = 4;
        if (!marker || found != icvs) {
            continue;
        }
        expect(path_read(target, "omp_in_final"), {{record + family.task, family.final_task}, 2, 1},
               "omp_in_final");
        if (&family == families.data()) {
            ImaginedThread thread(target);
            static_cast<void>(thread.call(*marker));
            if (!thread.was_loaded({{record + family.task, family.kind}, 2, 4})) {
                refuse("its records are not laid out as in any known version", family.marker);
            }
        }
        return &family;
    }
    refuse("its records are not laid out as in any known version", "omp_get_max_threads");
}

}  // namespace

std::optional<std::uint64_t> runtime_symbol(const Target &target, const char *name) {
    return target.symbol(name, file);
}

Layout prove(const Target &target) {
    Layout layout;
    layout.record = prove_place(target);
    layout.family = prove_family(target, layout.record);
    const auto initial = variable_read(target, function(target, "omp_get_max_threads"),
                                       layout.record + layout.family->task);
    if (!initial) {
        refuse("its code is not what is known", "omp_get_max_threads");
    }
    layout.initial_icvs = initial->where;
    const auto place = [&](const char *name, int stored = -1) {
        return icv_place(target, layout, name, stored);
    };
    layout.nthreads = place("omp_get_max_threads");
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
