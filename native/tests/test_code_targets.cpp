// SPDX-License-Identifier: Apache-2.0
// Which function a call calls, from its bytes; whose code a file is.
#include "code/call_targets.hpp"
#include "code/code_map.hpp"
#include "code/entry_table.hpp"
#include "code/function_code.hpp"
#include "code/linkage_stub.hpp"
#include "elf/address_space.hpp"
#include "memory_target.hpp"

#include <elf.h>
#include <gtest/gtest.h>

namespace gdb_ompd::code {
namespace {

constexpr std::uint64_t caller = 0x1000;
constexpr std::uint64_t stub = 0x2000;
constexpr std::uint64_t slot = 0x3000;
constexpr std::uint64_t function = 0x7f00;

using Bytes = std::vector<std::uint8_t>;

Bytes with_distance(Bytes bytes, std::uint64_t from, std::uint64_t to) {
    const auto distance = static_cast<std::uint32_t>(to - from - bytes.size() - 4);
    for (int at = 0; at < 4; ++at) {
        bytes.push_back(static_cast<std::uint8_t>(distance >> 8 * at));
    }
    return bytes;
}

class Targets : public testing::Test {
protected:
    Targets() : memory_(std::make_shared<MemoryTarget>()) {
        memory_->map(slot, {0x00, 0x7f, 0, 0, 0, 0, 0, 0});
    }

    CallTargets targets(unsigned machine = EM_X86_64) {
        architecture_ = code::make_architecture(machine);
        space_ = std::make_shared<AddressSpace>(memory_, Layout{}, 16);
        return {*space_, architecture_.get()};
    }
    // Code is in memory with what is around it.
    void map(std::uint64_t address, Bytes code) {
        Bytes all(16, 0x90);
        all.insert(all.end(), code.begin(), code.end());
        all.resize(all.size() + 32, 0x90);
        memory_->map(address - 16, all);
    }

    std::shared_ptr<MemoryTarget> memory_;
    std::shared_ptr<AddressSpace> space_;
    std::unique_ptr<code::Architecture> architecture_;
};

TEST_F(Targets, GoesThroughTheLinkageTable) {
    for (const Bytes &mark :
         {Bytes{}, Bytes{0xf3, 0x0f, 0x1e, 0xfa}, Bytes{0xf3, 0x0f, 0x1e, 0xfa, 0xf2}}) {
        Bytes jump = mark;
        jump.insert(jump.end(), {0xff, 0x25});
        map(caller, with_distance({0xe8}, caller, stub));
        map(stub, with_distance(jump, stub, slot));
        EXPECT_EQ(targets().targets(caller + 5), std::vector<std::uint64_t>{function});
    }
}

TEST_F(Targets, GoesThroughTheOffsetTable) {
    map(caller, with_distance({0xff, 0x15}, caller, slot));
    EXPECT_EQ(targets().targets(caller + 6), std::vector<std::uint64_t>{function});
}

TEST_F(Targets, IsTheFunctionOfADirectCall) {
    map(caller, with_distance({0xe8}, caller, 0x1500));
    EXPECT_EQ(targets().targets(caller + 5), std::vector<std::uint64_t>{0x1500});
}

TEST_F(Targets, IsNoneOfACallThroughARegister) {
    map(caller, {0xff, 0xd0});
    EXPECT_TRUE(targets().targets(caller + 2).empty());
}

TEST_F(Targets, IsNoneWhereNothingIsMapped) {
    EXPECT_TRUE(targets().targets(0x900000).empty());
    EXPECT_EQ(targets().final(0x900000), 0x900000U);
}

struct IndirectCase {
    Bytes code;
    Register name;
    std::uint64_t held;
    Value called;
};

TEST_F(Targets, OfAnIndirectCallHangsOnWhatTheCalleePreserved) {
    for (const IndirectCase &one : {
             IndirectCase{{0xff, 0xd3}, 3, 0x4444, 0x4444},                // *%rbx
             IndirectCase{{0x41, 0xff, 0xd4}, 12, 0x4444, 0x4444},         // *%r12
             IndirectCase{{0xff, 0x53, 0x08}, 3, slot - 8, function},      // *8(%rbx)
             IndirectCase{{0x41, 0xff, 0x16}, 14, slot, function},         // *(%r14)
             IndirectCase{{0x41, 0xff, 0xd3}, 3, 0x4444, std::nullopt},    // *%r11
             IndirectCase{{0xff, 0xd0}, 3, 0x4444, std::nullopt},          // *%rax
             IndirectCase{{0xff, 0xd3}, 12, 0x4444, std::nullopt},         // *%rbx, not known
             IndirectCase{{0xff, 0x53, 0x08}, 3, 0x900000, std::nullopt},  // not in memory
         }) {
        map(caller, one.code);
        const auto found =
            targets().indirect(caller + one.code.size(), [&](Register name) -> Value {
                return name == one.name ? Value{one.held} : std::nullopt;
            });
        EXPECT_EQ(found, one.called) << int{one.code.back()};
    }
}

// mov 8(%r12),%rcx; test %rcx,%rcx; je +6; mov (%rbx),%rdi; <LAST>; call *%rcx
FunctionCode calling_what_was_loaded(std::uint64_t start, const Bytes &last) {
    Bytes code{0x49, 0x8b, 0x4c, 0x24, 0x08, 0x48, 0x85, 0xc9, 0x74, 0x06, 0x48, 0x8b, 0x3b};
    code.insert(code.end(), last.begin(), last.end());
    code.insert(code.end(), {0xff, 0xd1, 0xc3});
    std::vector<Instruction> instructions;
    code::make_architecture(EM_X86_64)->decode(std::as_bytes(std::span(code)), start, instructions);
    return {start, start + code.size(), std::move(instructions)};
}

TEST_F(Targets, OfACallThroughWhatWasLoadedIsInTheRecord) {
    const auto record = [](Register name) -> Value {
        return name == 12 ? Value{slot - 8} : std::nullopt;
    };
    const auto called = [&](const FunctionCode &code) {
        return targets().indirect(code.end() - 1, record, &code);
    };
    EXPECT_EQ(called(calling_what_was_loaded(caller, {0x90})), function);
    EXPECT_EQ(called(calling_what_was_loaded(caller, {0x31, 0xc9})), std::nullopt);  // %ecx = 0
    // Only a call through a register or a record is one.
    const FunctionCode code = calling_what_was_loaded(caller, {0x90});
    EXPECT_TRUE(targets().is_indirect(code.end() - 1, &code));
    map(caller, {0xe8, 0, 0, 0, 0});
    EXPECT_FALSE(targets().is_indirect(caller + 5));
}

TEST_F(Targets, GoesThroughTheLinkageTableOfAarch64) {
    map(caller, {0x00, 0x04, 0x00, 0x94});  // bl 0x2000
    // adrp x16, +1 page; ldr x17, [x16]; add x16, x16, #0; br x17
    map(stub, {0x10, 0x00, 0x00, 0xb0, 0x11, 0x02, 0x40, 0xf9, 0x10, 0x02, 0x00, 0x91, 0x20, 0x02,
               0x1f, 0xd6});
    EXPECT_EQ(targets(EM_AARCH64).targets(caller + 4), std::vector<std::uint64_t>{function});
}

std::optional<StubEnd> end_of(unsigned machine, const Bytes &code) {
    const auto architecture = make_architecture(machine);
    std::vector<Instruction> instructions;
    architecture->decode(std::as_bytes(std::span(code)), stub, instructions);
    return stub_end(instructions, architecture->convention().stub_registers);
}

TEST(LinkageStub, LeadsToWhatASlotHasOrToAnAddress) {
    const Bytes page{0x10, 0x00, 0x00, 0xb0};  // adrp x16, +1 page
    const Bytes add{0x10, 0x22, 0x00, 0x91};   // add x16, x16, #8
    const Bytes load{0x11, 0x06, 0x40, 0xf9};  // ldr x17, [x16, #8]
    const auto joined = [](std::initializer_list<Bytes> parts) {
        Bytes all;
        for (const Bytes &part : parts) {
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    };
    const Bytes landing{0x5f, 0x24, 0x03, 0xd5};  // bti c
    const Bytes to_loaded{0x20, 0x02, 0x1f, 0xd6};
    const Bytes to_named{0x00, 0x02, 0x1f, 0xd6};
    EXPECT_EQ(end_of(EM_AARCH64, joined({landing, page, load, add, to_loaded})),
              (StubEnd{slot + 8, true}));
    EXPECT_EQ(end_of(EM_AARCH64, joined({page, add, to_named})), (StubEnd{slot + 8, false}));
    const Bytes into_other{0x00, 0x02, 0x40, 0xf9};  // ldr x0, [x16]
    EXPECT_EQ(end_of(EM_AARCH64, joined({page, into_other, load, to_loaded})), std::nullopt);
    // What memory has is no place to load from.
    const Bytes again{0x31, 0x02, 0x40, 0xf9};  // ldr x17, [x17]
    EXPECT_EQ(end_of(EM_AARCH64, joined({page, load, again, to_loaded})), std::nullopt);
    // push; jmp to the linker: what a slot has until it is bound
    EXPECT_EQ(end_of(EM_X86_64, {0x68, 1, 0, 0, 0, 0xe9, 0, 0, 0, 0}), std::nullopt);
}

TEST(FunctionReader, HasAFunctionWholeAfterAPieceOfItsCode) {
    constexpr std::uint64_t bias = 0x100000;
    const auto elf = std::make_shared<ElfImage>(RUNTIME_SYMBOLS, std::nullopt, "");
    const auto symbol = elf->symbol("__kmpc_barrier");
    ASSERT_TRUE(symbol);
    const std::uint64_t start = bias + symbol->value;
    const auto memory = std::make_shared<MemoryTarget>();
    memory->map(start, Bytes(512, 0x90));
    FunctionReader reader(
        std::make_shared<AddressSpace>(memory, Layout{}, 16),
        {std::make_shared<Module>(Module{elf, bias, "/lib/libomp.so.5", 0, std::nullopt})});
    for (int stop = 0; stop < 2; ++stop, reader.end_stop()) {
        EXPECT_GT(reader.code_from(start)->end(), start + symbol->size);
        EXPECT_EQ(reader.function(start)->end(), start + symbol->size);
    }
}

TEST(CodeMap, KnowsTheSystemsLibraries) {
    for (const char *path : {"/lib/libc.so.6", "libc-2.31.so", "/lib64/ld-linux-x86-64.so.2",
                             "libstdc++.so.6", "libflangrti.so", "libpthread.so.0", "ld-2.31.so"}) {
        EXPECT_TRUE(is_system_library(path)) << path;
    }
    for (const char *path : {"libcurl.so.4", "bin/libc/heat", "libmine.so", "ldap.so", ""}) {
        EXPECT_FALSE(is_system_library(path)) << path;
    }
}

TEST(EntryTable, HasEachFunctionOnce) {
    for (const EntryPoint &entry : entry_points()) {
        EXPECT_EQ(entry_point(entry.name), &entry) << entry.name;
    }
    EXPECT_EQ(entry_point("__kmp_api_GOMP_parallel"), entry_point("GOMP_parallel"));
    EXPECT_EQ(entry_point("main"), nullptr);
    EXPECT_FALSE(entry_point("__kmpc_end_critical")->waits());
    EXPECT_TRUE(entry_point("__kmpc_critical")->waits());
}

TEST(EntryTable, TellsBarriersByTheirFlags) {
    EXPECT_EQ(barrier_of(0x22), WaitKind::explicit_barrier);
    EXPECT_EQ(barrier_of(0x42), WaitKind::loop_barrier);
    EXPECT_EQ(barrier_of(0xc2), WaitKind::sections_barrier);
    EXPECT_EQ(barrier_of(0x142), WaitKind::single_barrier);
    EXPECT_EQ(barrier_of(0x1c2), WaitKind::worksharing_barrier);
    EXPECT_EQ(barrier_of(0x2), WaitKind::barrier);
}

}  // namespace
}  // namespace gdb_ompd::code
