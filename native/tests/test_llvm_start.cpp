// SPDX-License-Identifier: Apache-2.0
// Whether a runtime can be asked, and whether recovered symbols fit a program: what is refused,
// and in which words.
#include "llvm_memory.hpp"
#include "runtimes/llvm/llvm_runtime.hpp"
#include "runtimes/llvm/private_fields.hpp"
#include "runtimes/llvm/proof.hpp"
#include "runtimes/llvm/start.hpp"
#include "runtimes/llvm/symbols.hpp"
#include "runtimes/reader.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd::llvm {
namespace {

constexpr std::uint64_t bias = 0x10000000;

class LlvmStart : public ::testing::Test {
protected:
    LlvmStart() {
        module.elf = std::make_shared<ElfImage>(SAMPLE_FIRST, std::nullopt, "");
        module.bias = bias;
        module.name = "libomp.so.5";
        at = bias + module.elf->symbol("sample_data")->value;
        memory.target->map(at & ~std::uint64_t{0xfff}, std::vector<std::uint8_t>(0x2000));
        memory.put(TargetAddr{at}, 5);
    }

    std::string refusal(const Layout::Values &constants) {
        try {
            prove_constants(*memory.space, module, constants);
        } catch (const Inconsistent &error) {
            return error.what();
        }
        return "";
    }

    RuntimeMemory memory;
    Module module;
    std::uint64_t at = 0;
};

TEST_F(LlvmStart, ConstantsAreInTheProgramWhatTheyAreInTheCode) {
    EXPECT_EQ(refusal({{"sample_data", 5}}), "");
    EXPECT_EQ(refusal({{"sample_data", 6}}),
              "the runtime in memory is not the file libomp.so.5: sample_data is 5 in the program"
              " and 6 in the file's code; use the file that the program was started with");
    EXPECT_NE(refusal({{"ompd_nowhere", 6}}).find("ompd_nowhere is nothing in the program and 6"),
              std::string::npos);
}

TEST_F(LlvmStart, MemoryThatCannotBeReadIsARefusal) {
    module.bias = 0x70000000;
    const std::string said = refusal({{"sample_data", 5}});
    EXPECT_TRUE(said.starts_with("the symbols recovered from libomp.so.5 do not fit the program:"
                                 " the program's memory cannot be read there: Cannot access memory"
                                 " at address 0x70"))
        << said;
    EXPECT_NE(said.find("; its debug symbols are needed (debuginfod, or the package"),
              std::string::npos);
}

TEST_F(LlvmStart, AnInterruptIsNotTakenForARefusal) {
    memory.target->interrupt = true;
    EXPECT_THROW(prove_constants(*memory.space, module, {{"sample_data", 5}}), Interrupted);
}

TEST_F(LlvmStart, ConstantsThatAreNoLayoutAreRefused) {
    EXPECT_THROW(static_cast<void>(prove_symbols(*memory.space, module, {{"sample_data", 5}}, {})),
                 Inconsistent);
}

TEST_F(LlvmStart, AFileWithoutOmpdLacksEverything) {
    const MissingSymbols missing = missing_symbols(*module.elf);
    EXPECT_TRUE(missing.is_stripped);
    EXPECT_EQ(missing.names.front(), "ompd_state");
    EXPECT_EQ(missing.names.size(), 18 + recovery::meta_symbol_count);
}

TEST_F(LlvmStart, WithoutItsSymbolsARuntimeCannotBeAsked) {
    EXPECT_THROW(static_cast<void>(runtime_state(*memory.space)), NoSymbol);
    EXPECT_THROW(enable_events(*memory.space), NoSymbol);
    EXPECT_EQ(named_libraries(*memory.space), std::vector<std::string>());
    EXPECT_NO_THROW(check_settings(*memory.space, memory.layout));
}

// What a debugger would know of a runtime that has no symbols.
class Host : public RuntimeHost {
public:
    std::string machine() override { return of_machine; }
    std::vector<NativeThread> threads() override { return {}; }
    std::optional<int> kernels_process() override { return std::nullopt; }
    std::optional<std::string> why_not_loaded() override { return not_loaded; }
    std::vector<std::string> refusal() override { return refused; }
    std::optional<RecoveredSymbols> recovered() override { return std::nullopt; }
    std::optional<PrivateFields> private_fields(const ConstantsByName & /*layout*/) override {
        return std::nullopt;
    }
    ConstantsByName event_constants() override { return {}; }

    std::string of_machine = "x86-64";
    std::optional<std::string> not_loaded;
    std::vector<std::string> refused;
};

class LlvmRefusals : public LlvmStart {
protected:
    // Why the runtime cannot be asked, in words for the user.
    std::string why(bool has_file = true) {
        RuntimeFile file{"/lib/libomp.so.5", nullptr, "it is damaged", {}};
        if (has_file) {
            file.module = std::make_shared<Module>(module);
        }
        const auto runtime = make_runtime(Family::llvm, std::move(file), memory.space, host, true);
        try {
            runtime->reader([]() -> std::shared_ptr<Library> { throw std::logic_error("loaded"); });
        } catch (const NoSymbols &error) {
            return error.what();
        } catch (const NotServed &error) {
            return std::string("not served: ") + error.what();
        }
        return "";
    }

    std::shared_ptr<Host> host = std::make_shared<Host>();
};

TEST_F(LlvmRefusals, SayWhatIsTheMatterWithItsSymbols) {
    EXPECT_TRUE(why().starts_with("/lib/libomp.so.5 is stripped of the symbols that OMPD needs: "
                                  "install its debug symbols ("));
    host->refused = {"no code", "no data"};
    EXPECT_NE(why().find(", and they cannot be recovered (no code; no data): install"),
              std::string::npos);
    host->not_loaded = "it is not below /opt ('show sysroot')";
    EXPECT_EQ(why(), "GDB has read no symbols of /lib/libomp.so.5: it is not below /opt"
                     " ('show sysroot')");
    host->refused = {"the library was built without OMPD support"};
    EXPECT_TRUE(why().starts_with("/lib/libomp.so.5 was built without OMPD support: use another"));
    EXPECT_EQ(why(false), "/lib/libomp.so.5 cannot be read: it is damaged");
}

TEST_F(LlvmRefusals, SayForWhichMachinesProgramsAreRead) {
    host->of_machine = "riscv";
    EXPECT_EQ(why(), "not served: this program is for riscv: gdb-ompd reads OpenMP programs for"
                     " x86-64 and aarch64 only");
}

}  // namespace
}  // namespace gdb_ompd::llvm
