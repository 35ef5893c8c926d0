// SPDX-License-Identifier: Apache-2.0
// One function's instructions, and how control flows through them.
#pragma once

#include "base/target.hpp"
#include "code/architecture.hpp"
#include "code/frame_table.hpp"
#include "elf/module.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gdb_ompd {
class AddressSpace;
}

namespace gdb_ompd::code {

// Everything in it is in the order of addresses.
class FunctionCode {
public:
    FunctionCode(std::uint64_t start, std::uint64_t end, std::vector<Instruction> instructions);

    [[nodiscard]] std::uint64_t start() const { return start_; }
    [[nodiscard]] std::uint64_t end() const { return end_; }
    [[nodiscard]] const std::vector<Instruction> &instructions() const { return instructions_; }
    [[nodiscard]] const Instruction &at(std::size_t index) const { return instructions_[index]; }
    // Whether the instruction is a jump of which it is not known where it goes: a register tells,
    // or memory. Whether the function has any.
    [[nodiscard]] bool goes_anywhere(std::size_t index) const {
        return instructions_[index].is_indirect() && !cases_.contains(index) &&
               !outward_.contains(index);
    }
    [[nodiscard]] bool jumps_anywhere() const { return jumps_anywhere_; }
    // Take where each jump goes of which CASES tells that, and which lead out of the function by
    // what AT has of their places in memory, as through the table of linked functions.
    void note_cases(const std::function<std::vector<std::uint64_t>(std::size_t index)> &cases,
                    const std::function<std::optional<std::uint64_t>(std::uint64_t place)> &at);
    // Take that JUMPS of which it is not known where they go lead out of the function, or that they
    // may lead anywhere.
    void set_outward(std::span<const std::size_t> jumps, bool are_outward);
    // Take where a call or jump through a register goes, or from which constant place that was
    // LOADED; 0 for none.
    void note_destination(std::size_t index, std::uint64_t target, std::uint64_t loaded) {
        instructions_[index].target = target;
        instructions_[index].loaded_from = loaded;
    }
    // The jumps that lead to an instruction.
    [[nodiscard]] std::span<const std::size_t> jumps_to(std::size_t index) const;
    // The instruction at an address; the call that returns to one.
    [[nodiscard]] std::optional<std::size_t> index_of(std::uint64_t address) const;
    [[nodiscard]] std::optional<std::size_t> call_before(std::uint64_t return_address) const;
    // The one that is always executed before an instruction; none where there are several.
    [[nodiscard]] std::optional<std::size_t> only_before(std::size_t index) const;
    // Where the last call before an instruction returns to; none where several ways lead there.
    [[nodiscard]] std::optional<std::uint64_t> call_leading_to(std::size_t index) const;
    // The address that an instruction works out and leaves: aarch64's of two parts, where the first
    // is not far before it, too.
    [[nodiscard]] std::optional<std::uint64_t> named_address(std::size_t index) const;
    // The instructions that may be executed after one, in this function.
    [[nodiscard]] std::vector<std::size_t> successors(std::size_t index) const;
    // Whether one may be executed after the first.
    [[nodiscard]] bool leads_to(std::size_t index) const;
    // The jumps out of the function.
    [[nodiscard]] std::vector<std::size_t> leaving() const;

private:
    std::uint64_t start_;
    std::uint64_t end_;
    std::vector<Instruction> instructions_;
    std::unordered_map<std::size_t, std::vector<std::size_t>> jump_sources_;
    std::map<std::size_t, std::vector<std::size_t>> cases_;  // by indirect jumps
    std::set<std::size_t> outward_;                          // indirect jumps, too
    bool jumps_anywhere_ = false;
};

// A function of a mapped file, as its symbols have it.
struct MappedFunction {
    const Module *module = nullptr;
    Symbol symbol;

    [[nodiscard]] std::uint64_t start() const { return module->bias + symbol.value; }
};

// The function around an address, as far as its file tells: by a symbol whose size covers the
// address, else by the entry of the unwind table.
struct FunctionAround {
    const Module *module = nullptr;
    std::optional<std::uint64_t> start;  // none where neither tells
    std::string name;                    // by its symbol, as C++ has it; empty for none
    bool has_all_symbols = false;        // the file's own table of them is there
    bool is_entry = false;               // the program, or the dynamic linker, begins with it

    // Whether the code at PC, in this function, is of no source line.
    [[nodiscard]] bool is_without_line(std::uint64_t pc) const;
    // Whether a symbol at this address, the nearest one that a debugger knows before the function's
    // code, can be the function's. In a stripped file that is often an exported one far before it.
    [[nodiscard]] bool is_named_by(std::uint64_t symbol) const {
        return start ? *start <= symbol : has_all_symbols;
    }
};

class FunctionValues;

// Reads functions of the mapped files.
class FunctionReader {
public:
    FunctionReader(std::shared_ptr<AddressSpace> space, Modules modules);
    FunctionReader(const FunctionReader &) = delete;
    FunctionReader &operator=(const FunctionReader &) = delete;
    FunctionReader(FunctionReader &&) = delete;
    FunctionReader &operator=(FunctionReader &&) = delete;
    ~FunctionReader();

    // The code of the function around PC, which its symbol tells or, without one, the file's
    // unwind table; null where it is not known. Until the next stop.
    [[nodiscard]] const FunctionCode *function(std::uint64_t pc);
    // Where that function begins; 0 where it is not known.
    [[nodiscard]] std::uint64_t start_of(std::uint64_t pc);
    // What the registers of one of these functions hold. Its processor is known.
    [[nodiscard]] FunctionValues &values(const FunctionCode &function);
    // What follows in memory, also in a function without a symbol.
    [[nodiscard]] const FunctionCode *code_from(std::uint64_t pc);
    // One that begins there; null for any other place.
    [[nodiscard]] const FunctionCode *function_at_start(std::uint64_t address);
    [[nodiscard]] std::optional<MappedFunction> symbol_at(std::uint64_t pc) const;
    // None for code of no file that can be read.
    [[nodiscard]] std::optional<FunctionAround> around(std::uint64_t pc) const;
    // What the function around PC is called in its source, without its scope; empty where it has
    // no symbol. Until the next stop.
    [[nodiscard]] std::string_view identifier_at(std::uint64_t pc);
    // What the function that begins there is called: of several names the one that people
    // write, without the prefixes of a library's own.
    [[nodiscard]] std::optional<std::string> plain_name(std::uint64_t start) const;
    // The same of the function around PC; empty where it has none. Until the next stop.
    [[nodiscard]] const std::string &plain_name_around(std::uint64_t pc);
    [[nodiscard]] const Module *module_at(std::uint64_t address) const;
    [[nodiscard]] const Modules &modules() const { return modules_; }
    // Whether what a file has at an address cannot be changed once the file is mapped.
    [[nodiscard]] bool is_constant(std::uint64_t address) const;
    // Where the first file that has a symbol of that name has it; none where no file has one.
    [[nodiscard]] std::optional<std::uint64_t> address_of(std::string_view name) const;
    // Code is read again at the next stop: memory may have been damaged, or mended.
    void end_stop() {
        for (auto *const known : {&functions_, &pieces_}) {
            for (auto &[start, decoded] : *known) {
                decoded.is_current = false;
            }
        }
        identifiers_.clear();
        plain_names_.clear();
        places_.clear();
    }

    [[nodiscard]] AddressSpace &space() const { return *space_; }
    // Null for a processor whose code cannot be read.
    [[nodiscard]] const Architecture *architecture() const { return architecture_.get(); }

private:
    struct Decoded {
        std::vector<std::byte> bytes;
        std::unique_ptr<FunctionCode> code;
        bool is_current = false;  // read at this stop
    };

    [[nodiscard]] const std::optional<Range> &place_of(std::uint64_t pc);
    [[nodiscard]] std::optional<std::uint64_t> word(std::uint64_t address, unsigned size) const;
    [[nodiscard]] std::optional<Range> unwind_entry(std::uint64_t pc) const;
    [[nodiscard]] const FunctionCode *whole(const std::optional<Range> &function);
    [[nodiscard]] const FunctionCode *decoded(const Range &place, Decoded &known);
    void note_destinations(FunctionCode &code);
    bool note_destination(FunctionCode &code, std::size_t index);

    std::shared_ptr<AddressSpace> space_;
    Modules modules_;
    std::map<std::uint64_t, std::pair<std::uint64_t, const Module *>> ranges_;  // by start
    std::unique_ptr<Architecture> architecture_;
    // Decoding takes a microsecond an instruction, comparing the bytes a hundredth: a
    // function is decoded again only where its bytes are others.
    std::unordered_map<std::uint64_t, Decoded> functions_;
    std::unordered_map<std::uint64_t, Decoded> pieces_;  // see code_from
    std::unordered_map<std::uint64_t, std::optional<Range>> places_;
    std::unordered_map<const FunctionCode *, std::unique_ptr<FunctionValues>> values_;
    // By program counters, which all of a team have alike.
    std::unordered_map<std::uint64_t, std::string> identifiers_;
    std::unordered_map<std::uint64_t, std::string> plain_names_;
};

// The name of a symbol: a file's own table has NAME@VERSION of what has one.
std::string without_version(const std::string &name);

}  // namespace gdb_ompd::code
