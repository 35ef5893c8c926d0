// SPDX-License-Identifier: Apache-2.0
// Which of the user's frames a listing names. Frames and the names of places are made by hand.
#include "elf/address_space.hpp"
#include "memory_target.hpp"
#include "stop/stack_places.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd {

namespace {

constexpr std::uint64_t runtime_bias = 0x900000, runtime = runtime_bias + 0x10, main_at = 0x1000,
                        work_at = 0x2000, header_at = 0x3000;

// Names that the test has given.
class MadeNames : public PlaceNames {
public:
    std::vector<PlaceRef> at(std::span<const CodePoint> points) override {
        ++calls;
        std::vector<PlaceRef> found;
        for (const CodePoint &point : points) {
            const auto known = places.find(point.pc);
            found.push_back(known == places.end() ? nullptr : known->second);
        }
        return found;
    }
    std::vector<PlaceRef> chain(int gdb_num, std::uint64_t pc) override {
        const auto known = chains.find({gdb_num, pc});
        return known == chains.end() ? std::vector<PlaceRef>() : known->second;
    }
    std::string outermost_called(int) override { return "poll"; }

    PlaceRef add(std::uint64_t pc, const char *function, bool has_source = true) {
        const auto place = std::make_shared<NamedPlace>();
        place->pc = pc;
        place->function = function;
        place->has_source = has_source;
        places[pc] = place;
        return place;
    }

    std::map<std::uint64_t, std::shared_ptr<NamedPlace>> places;
    std::map<std::pair<int, std::uint64_t>, std::vector<PlaceRef>> chains;
    int calls = 0;
};

class StackPlacesTest : public testing::Test {
protected:
    StackPlacesTest() {
        const auto module = std::make_shared<Module>(
            Module{std::make_shared<ElfImage>(RUNTIME_SYMBOLS, std::nullopt, ""), runtime_bias,
                   "/lib/libomp.so.5", 0, std::nullopt});
        const auto space =
            std::make_shared<AddressSpace>(std::make_shared<MemoryTarget>(), Layout{}, 16);
        const auto map = std::make_shared<code::CodeMap>(Modules{module}, nullptr, Modules{module});
        waits = std::make_unique<WaitReader>(space, Modules{module}, map, Modules{module});
        places = std::make_unique<StackPlaces>(*waits, names, nullptr, [this](int, bool debugger) {
            return debugger ? debuggers : unwound;
        });
    }

    static WaitReader::Read read(std::vector<std::uint64_t> pcs, bool is_long = false) {
        WaitReader::Read made{std::move(pcs), {}, is_long};
        made.wait.outside = "read";
        return made;
    }
    static StackPlaces::Read shared(WaitReader::Read read) {
        return std::make_shared<const WaitReader::Read>(std::move(read));
    }
    std::vector<std::optional<std::size_t>> find(const std::vector<int> &threads,
                                                 const std::vector<StackPlaces::Read> &reads) {
        return places->find(threads, reads);
    }
    const StackPlace &found(const StackPlaces::Read &read) {
        return places->found()[find({1}, {read}).front().value()];
    }

    MadeNames names;
    std::unique_ptr<WaitReader> waits;
    std::unique_ptr<StackPlaces> places;
    std::optional<WaitReader::Read> unwound, debuggers;
};

}  // namespace

TEST_F(StackPlacesTest, AllInnermostPlacesAreNamedInOneCall) {
    names.add(work_at, "work");
    names.add(main_at, "main");
    const auto work = shared(read({runtime, work_at}));
    const auto numbers = find({1, 2, 3}, {work, work, shared(read({runtime, main_at}))});
    EXPECT_EQ(numbers, (std::vector<std::optional<std::size_t>>{0, 0, 1}));
    EXPECT_EQ(names.calls, 1);
    EXPECT_EQ(places->found()[1].place, names.places[main_at]);
}

TEST_F(StackPlacesTest, AFrameWithSourceIsPreferredAndWhatItHasCalledIsKept) {
    const PlaceRef inner = names.add(work_at, "in a library", false);
    const PlaceRef own = names.add(main_at, "main");
    const StackPlace &place = found(shared(read({runtime, work_at, main_at})));
    EXPECT_EQ(place.pc, main_at);
    EXPECT_EQ(place.place, own);
    EXPECT_EQ(place.innermost, inner);
}

TEST_F(StackPlacesTest, NobodyIsLookedForBeyondTheRuntime) {
    const PlaceRef inner = names.add(work_at, "body", false);
    names.add(main_at, "main");
    const StackPlace &place = found(shared(read({work_at, runtime, main_at}, true)));
    EXPECT_EQ(place.place, inner);
    EXPECT_EQ(place.pc, work_at);
}

TEST_F(StackPlacesTest, ASystemsHeaderIsTheUsersOnlyWhereNothingElseIs) {
    names.add(header_at, "std::this_thread::sleep_for");
    names.places[header_at]->in_system_header = true;
    const PlaceRef own = names.add(main_at, "main");
    auto sleeping = read({runtime, header_at, main_at});
    sleeping.wait.outside = "__nanosleep";
    const StackPlace &place = found(shared(sleeping));
    EXPECT_EQ(place.place, own);
    EXPECT_EQ(place.wait.outside, "std::this_thread::sleep_for");

    sleeping.wait.kind = code::WaitKind::lock;  // it waits there for what is OpenMP's
    sleeping.wait.entry_point = "omp_set_lock";
    EXPECT_EQ(found(shared(sleeping)).place, names.places[header_at]);
}

TEST_F(StackPlacesTest, WhatStartsAStackIsPassedOver) {
    names.add(work_at, "_start", false);
    names.places[work_at]->is_passed_over = true;
    debuggers = read({work_at}, true);
    EXPECT_FALSE(found(shared(*debuggers)).place);
}

TEST_F(StackPlacesTest, AThreadsFramesTellWhereAFunctionMayBeginInlined) {
    const PlaceRef inlined = names.add(work_at, "inlined");
    names.places.erase(work_at);
    names.chains[{1, work_at}] = {inlined};
    const auto same = shared(read({work_at}));
    EXPECT_EQ(places->found()[find({1}, {same}).front().value()].place, inlined);
    // Of another thread with the same frames its own are asked, which are not there.
    unwound = read({work_at}, true);
    debuggers = unwound;
    EXPECT_FALSE(places->found()[find({2}, {same}).front().value()].place);
}

TEST_F(StackPlacesTest, FramesFurtherOutAreLookedAtForSource) {
    names.add(main_at, "main");
    unwound = read({runtime, main_at}, true);
    EXPECT_EQ(found(nullptr).pc, main_at);
    unwound.reset();
    debuggers = read({runtime, main_at}, true);
    EXPECT_EQ(found(nullptr).pc, main_at);
    debuggers.reset();
    EXPECT_EQ(find({1}, {nullptr}).front(), std::nullopt);
}

TEST_F(StackPlacesTest, TheDebuggerNamesWhatNoSymbolDoes) {
    auto nameless = read({runtime});
    nameless.wait.outside.clear();
    EXPECT_EQ(found(shared(nameless)).wait.outside, "poll");
}

TEST_F(StackPlacesTest, WhereNoMemoryIsAStackEnds) {
    const PlaceRef inner = names.add(work_at, "work", false);
    names.add(main_at, "");
    names.places[main_at]->is_in_file = false;
    names.places[main_at]->has_source = false;
    names.add(header_at, "further out");
    const StackPlace &place = found(shared(read({work_at, main_at, header_at}, true)));
    EXPECT_EQ(place.place, inner);
}

}  // namespace gdb_ompd
