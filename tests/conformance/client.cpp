// SPDX-License-Identifier: Apache-2.0
// Usage: conformance LIBRARY SCENE
//
// Asks the OMPD library at LIBRARY what OpenMP 5.0 to 5.2, chapter 5, demands of one,
// about this very process, in which the shared object SCENE runs. Prints a line for each
// check: its name, what is demanded ("|" between what is allowed) and what was observed,
// with tabs between. Every check has a fresh instance of the library.
#include "subject.hpp"

namespace gdb_ompd {

namespace {

// Handles whose region has ended. They were made by an instance that lives as long.
struct Kept {
    explicit Kept(const std::string &path) : subject(path) {
        region = subject.region();
        task = subject.task();
    }
    Subject subject;
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
};
std::unique_ptr<Kept> kept;

std::vector<NamedCheck> checks_after() {
    return {{"stale: a region that has ended", "stale_handle",
             [](Subject &) {
                 ompd_parallel_handle_t *made = nullptr;
                 Subject &s = kept->subject;
                 return s.ask(s.f().get_enclosing_parallel_handle, kept->region, &made);
             }},
            {"stale: a task that has ended", "stale_handle", [](Subject &) {
                 ompd_address_t entry{};
                 Subject &s = kept->subject;
                 return s.ask(s.f().get_task_function, kept->task, &entry);
             }}};
}

std::string library_path;

void run(const std::vector<NamedCheck> &all) {
    for (const NamedCheck &each : all) {
        std::string observed;
        try {
            Subject subject(library_path);
            observed = each.check(subject);
        } catch (const CannotAsk &reason) {
            observed = reason.outcome;
        } catch (const std::exception &exception) {
            observed = exception.what();
        }
        std::printf("%s\t%s\t%s\n", each.name.c_str(), each.demanded.c_str(), observed.c_str());
    }
}

void at_stop(scene_stop stop) {
    if (stop == SCENE_IN_TASK) {
        run(checks);
        kept = std::make_unique<Kept>(library_path);
    } else {
        kept->subject.space.cache().clear();  // the program has run on
        run(checks_after());
    }
}

int main_of(const char *library, const char *scene) {
    void *loaded = dlopen(scene, RTLD_NOW | RTLD_GLOBAL);
    if (loaded == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    threads = static_cast<const scene_thread *>(dlsym(loaded, "scene_threads"));
    library_path = library;
    demand_of_the_library();
    demand_of_the_process();
    demand_of_threads();
    demand_of_orders();
    demand_of_regions();
    demand_of_tasks();
    demand_of_enumerations();
    demand_of_icvs();
    demand_of_tool_data();
    demand_of_memory_and_output();
    reinterpret_cast<decltype(&scene_run)>(dlsym(loaded, "scene_run"))(at_stop);
    std::fflush(stdout);
    _exit(0);  // a library that crashed is not unloaded
}

}  // namespace

}  // namespace gdb_ompd

int main(int count, char **arguments) {
    if (count != 3) {
        std::fprintf(stderr, "Usage: conformance LIBRARY SCENE\n");
        return 2;
    }
    return gdb_ompd::main_of(arguments[1], arguments[2]);
}
