// SPDX-License-Identifier: Apache-2.0
// What the OMPD library of scene_libompd.cpp tells: a program's threads, regions and tasks,
// made up by a test. Everything is named by its position; -1 stands for none.
#pragma once

#include "base/ompd_types.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct Scene {
    struct Thread {
        std::uint64_t id = 0;
        int region = -1;
        int task = -1;
        ompd_word_t thread_num = 0;
        ompd_word_t state = 1;
        ompd_wait_id_t wait_id = 0;
    };
    struct Region {
        int parent = -1;
        ompd_word_t level = 1;
        ompd_word_t active_level = 1;
        std::vector<int> threads;
        std::vector<int> tasks;        // implicit ones, by thread number
        ompd_word_t claimed_size = 0;  // of the team, where that is not how many threads it has
    };
    struct Task {
        int region = -1;
        int generating = -1;
        int scheduling = -1;
        bool implicit = true;
        bool final_task = false;
        ompd_addr_t function = 0;
    };

    std::vector<Thread> threads;
    std::vector<Region> regions;
    std::vector<Task> tasks;
    ompd_thread_id_t id_kind = ompd_thread_id_pthread;
    ompd_size_t id_size = 8;
    bool aliases = false;             // the ICVs have only the names with "ompd-"
    bool end_is_unsupported = false;  // as LLVM's library says that there is no further one
    std::map<std::string, ompd_rc_t> failures;  // by function
    std::map<std::string, int> calls;
    int live_handles = 0;
};

using SceneUse = void (*)(Scene *scene);
