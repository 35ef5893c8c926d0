// SPDX-License-Identifier: Apache-2.0
// A runtime whose stop a test has made up.
#pragma once

#include "base/errors.hpp"
#include "runtimes/reader.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gdb_ompd {

// A runtime that says what it was given.
class SaidRuntime : public RuntimeReader {
public:
    explicit SaidRuntime(StopFacts facts) : facts_(std::move(facts)) {}

    const StopFacts &read(std::span<const NativeThread> /*natives*/) override { return facts_; }
    std::vector<TaskFacts> tasks(std::span<const int> gdb_nums) override {
        std::vector<TaskFacts> found;
        for (const int number : gdb_nums) {
            found.emplace_back();
            found.back().gdb_num = number;
        }
        return is_damaged ? throw Inconsistent("damaged") : found;
    }
    std::vector<TaskFacts> implicit_tasks(int /*region*/) override { return {}; }
    std::vector<IcvFacts> icvs(std::span<const int> /*gdb_nums*/,
                               std::span<const int> /*regions*/) override {
        return {};
    }
    std::vector<ControlVariable> control_variables() override { return {}; }
    Versions versions() override { return {}; }
    std::optional<Place> place(const NativeThread & /*thread*/) override { return {}; }
    bool knows(const NativeThread & /*thread*/) override { return false; }
    std::vector<Membership> memberships(const NativeThread & /*thread*/) override { return {}; }
    Fact<TaskKind> task_kind(const NativeThread & /*thread*/) override { return {}; }
    Fact<std::string> state(const NativeThread & /*thread*/) override { return {}; }
    std::optional<IcvFacts> icv(const NativeThread & /*thread*/,
                                std::string_view /*name*/) override {
        return {};
    }
    void end_stop() noexcept override {}

    bool is_damaged = false;

private:
    StopFacts facts_;
};

inline std::vector<NativeThread> made_threads(int count) {
    std::vector<NativeThread> found(static_cast<std::size_t>(count));
    for (int number = 1; NativeThread & thread : found) {
        thread.gdb_num = number++;
    }
    return found;
}

inline ThreadFacts stranger(int gdb_num) {
    ThreadFacts facts;
    facts.gdb_num = gdb_num;
    facts.kind = {ThreadKind::native};
    return facts;
}

// In LEVEL regions, number THREAD_NUM of the innermost and 0 of those around it.
inline ThreadFacts member(int gdb_num, int level, int thread_num) {
    ThreadFacts facts;
    facts.gdb_num = gdb_num;
    facts.kind = {ThreadKind::worker};
    facts.level = {level};
    facts.thread_num = {thread_num};
    facts.region = {level > 0 ? 1 : 0};
    for (int around = level; around >= 0; --around) {
        facts.memberships.push_back({around == level ? thread_num : 0, 2});
    }
    return facts;
}

inline RegionFacts team(std::vector<std::optional<int>> threads) {
    RegionFacts facts;
    facts.threads = std::move(threads);
    return facts;
}

}  // namespace gdb_ompd
