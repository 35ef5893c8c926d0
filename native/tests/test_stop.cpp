// SPDX-License-Identifier: Apache-2.0
// What is true of one stop, with a debugger and a runtime made by hand.
#include "stop/stop.hpp"

#include "elf/address_space.hpp"
#include "memory_target.hpp"
#include "said_runtime.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace gdb_ompd {

namespace {

using ::testing::ElementsAre;
using ::testing::Key;

// A debugger that has no names.
class NoNames : public StopNames {
public:
    std::vector<PlaceRef> at(std::span<const CodePoint> points) override {
        return std::vector<PlaceRef>(points.size());
    }
    std::vector<PlaceRef> chain(int, std::uint64_t) override { return {}; }
    std::string outermost_called(int) override { return {}; }
    PlaceRef left(std::span<const std::uint64_t>, std::optional<std::uint64_t>) override {
        return nullptr;
    }
    PlaceRef with_innermost(const PlaceRef &place, const PlaceRef &) override { return place; }
    code::WaitKind kind_by_lines(code::WaitKind kind, std::span<const CallPlace>) override {
        return kind;
    }
    std::optional<std::string> object(code::WaitKind, std::uint64_t, int, std::uint64_t) override {
        return std::nullopt;
    }
    std::optional<std::string> mutex(std::uint64_t, int, std::uint64_t) override {
        return std::nullopt;
    }
    bool waits_for_others(const std::string &) override { return false; }
    bool is_in_body(int, std::uint64_t) override { return false; }
    Names functions_at(std::uint64_t, std::uint64_t) override { return std::nullopt; }
    FrameFunction function(int, std::size_t) override { return {}; }
    PlaceRef frame_place(int, std::size_t) override { return nullptr; }
    PlaceRef call_place(std::uint64_t) override { return nullptr; }
    PlaceRef construct_called(const PlaceRef &, code::Value) override { return nullptr; }
    PlaceRef construct_of(std::uint64_t) override { return nullptr; }
    bool is_same_construct(const PlaceRef &, const PlaceRef &) override { return false; }
    std::optional<std::int64_t> value(int, std::uint64_t, const std::string &) override {
        return std::nullopt;
    }
    std::optional<std::string> directive(std::uint64_t, const PlaceRef &) override {
        return std::nullopt;
    }
    PlaceRef with_line(const PlaceRef &place, const ConstructPlace &) override { return place; }
    PlaceRef with_pc(const PlaceRef &place, std::uint64_t) override { return place; }
    PlaceRef unknown_place(std::uint64_t) override { return nullptr; }
    bool is_left_by_jump(std::uint64_t, const std::string &) override { return false; }
    bool is_unreadable(int gdb_num) const override { return unreadable.contains(gdb_num); }

    std::set<int> unreadable;
};

// No thread's stack can be told.
class NoStacks : public WholeStacks {
public:
    using WholeStacks::WholeStacks;
    Frames unwound(int /*gdb_num*/, Unwind /*unwind*/) override { return {}; }
    Frames by_debugger(int /*gdb_num*/) override { return {}; }
    Frames around_by_debugger(int /*gdb_num*/) override { return {}; }
    std::vector<Read> reads(const std::vector<int> &gdb_nums) override {
        return std::vector<Read>(gdb_nums.size());
    }
    std::map<int, code::Value> executed(const std::vector<int> & /*gdb_nums*/) override {
        return {};
    }
};

class Host : public StopHost {
public:
    explicit Host(Stacks &stacks) : stacks_(stacks) {}

    Outcome add_runtimes(const std::shared_ptr<AllRuntimes> &runtimes) override {
        ++asked;
        if (reader != nullptr) {
            runtimes->add(*reader, "", {});
        }
        if (!doubt.empty()) {
            runtimes->doubt_natives(doubt);
        }
        return outcome;
    }
    void fail() override { throw std::runtime_error("why not"); }
    Stacks &stacks() override { return stacks_; }
    std::optional<std::vector<HangReader::Range>> readable_code() override { return std::nullopt; }
    std::optional<bool> is_forked() override { return std::nullopt; }
    bool is_own_memory(std::uint64_t /*address*/) override { return false; }

    SaidRuntime *reader = nullptr;
    Outcome outcome = Outcome::read;
    std::string doubt;
    int asked = 0;

private:
    Stacks &stacks_;
};

class StopTest : public testing::Test {
protected:
    StopTest() {
        threads[3].running = true;
        const auto space =
            std::make_shared<AddressSpace>(std::make_shared<MemoryTarget>(), Layout{}, 16);
        const auto map = std::make_shared<code::CodeMap>(Modules{}, nullptr, Modules{});
        waits = std::make_unique<WaitReader>(space, Modules{}, map, Modules{});
        whole = std::make_unique<NoStacks>(*waits, nullptr);
        stacks = std::make_unique<Stacks>(*whole, names);
        host = std::make_unique<Host>(*stacks);
    }

    std::vector<NativeThread> threads = made_threads(4);
    NoNames names;
    std::unique_ptr<WaitReader> waits;
    std::unique_ptr<NoStacks> whole;
    std::unique_ptr<Stacks> stacks;
    std::unique_ptr<Host> host;
    SaidRuntime runtime{
        {{member(1, 1, 0), member(2, 1, 1), stranger(3), stranger(4)}, {team({1, 2})}}};
};

TEST_F(StopTest, ThreadsAreThereWithoutARuntime) {
    host->outcome = StopHost::Outcome::failed;
    Stop stop(threads, 1, *host);
    EXPECT_EQ(stop.known(), nullptr);
    EXPECT_FALSE(stop.is_early());
    EXPECT_TRUE(stop.threads().empty());
    EXPECT_TRUE(stop.regions().empty());
    EXPECT_EQ(stop.every_thread().size(), 4U);
    EXPECT_EQ(stop.every_thread().front().kind, std::nullopt);
    EXPECT_THAT(stop.stopped(), ElementsAre(1, 2, 3));
    EXPECT_THROW(static_cast<void>(stop.all_runtimes()), std::runtime_error);
    EXPECT_EQ(host->asked, 1);
}

TEST_F(StopTest, ARuntimeMayBeStartingYet) {
    host->outcome = StopHost::Outcome::early;
    EXPECT_TRUE(Stop(threads, 1, *host).is_early());
}

TEST_F(StopTest, OnlyOpenMPsThreadsAreInTeams) {
    host->reader = &runtime;
    Stop stop(threads, 1, *host);
    EXPECT_THAT(stop.threads(), ElementsAre(Key(1), Key(2)));
    EXPECT_EQ(stop.threads().at(2).thread_num, 1);
    EXPECT_EQ(stop.threads().at(2).region, 1);
    EXPECT_EQ(stop.every_thread().at(2).kind, ThreadKind::native);
    EXPECT_TRUE(stop.every_thread().at(3).running);
    EXPECT_EQ(stop.regions().size(), 1U);
}

TEST_F(StopTest, NobodyIsNativeForCertainWhereARuntimeIsNotRead) {
    host->reader = &runtime;
    host->doubt = "another is not read";
    Stop stop(threads, 1, *host);
    EXPECT_EQ(stop.every_thread().at(2).kind, std::nullopt);
    EXPECT_TRUE(stop.every_thread().at(2).is_unread);
    EXPECT_EQ(stop.every_thread().at(1).kind, ThreadKind::worker);
}

TEST_F(StopTest, AStackThatTheDebuggerCannotTellIsSaidToBe) {
    names.unreadable = {2};
    host->outcome = StopHost::Outcome::failed;
    Stop stop(threads, 1, *host);
    EXPECT_EQ(stop.wait(1)->entry_point, "");
    EXPECT_EQ(stop.wait(2)->entry_point, unnamed);
}

TEST_F(StopTest, ARegionThatLacksNoThreadHasItsMembers) {
    host->reader = &runtime;
    Stop stop(threads, 1, *host);
    EXPECT_FALSE(stop.members(stop.regions().front()));
}

}  // namespace

}  // namespace gdb_ompd
