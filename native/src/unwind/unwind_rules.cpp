// SPDX-License-Identifier: Apache-2.0
#include "unwind/unwind_rules.hpp"

#include "elf/elf_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <tuple>

namespace gdb_ompd {

namespace {

constexpr std::uint64_t first_page_end = 4096;
constexpr std::uint64_t longest_entry = 256;  // bytes of code
constexpr std::uint64_t kernels_half = std::uint64_t{1} << 47U;

// Whether functions leave a register as it was: rbx, rbp and r12 to r15.
constexpr bool is_preserved(std::size_t number) {
    return number == 3 || number == 6 || (12 <= number && number <= 15);
}

bool holds(const Module &module, std::uint64_t address) {
    return std::ranges::any_of(module.elf->headers().segments, [&](const Segment &segment) {
        return address - module.bias - segment.address < segment.size;
    });
}

// Whether the kernel begins the process there, in code that no table describes: the dynamic
// linker's, which calls the libraries' constructors. Nothing has called that.
bool is_in_entry(const Module &module, std::uint64_t address) {
    const std::uint64_t entry = module.elf->headers().entry;
    return entry != 0 && address - module.bias - entry < longest_entry;
}

struct FreeFrame {
    void operator()(Dwarf_Frame *frame) const noexcept { std::free(frame); }
};
using DwarfFrame = std::unique_ptr<Dwarf_Frame, FreeFrame>;

// What an operation adds up, if it is that.
std::optional<std::pair<std::size_t, std::int64_t>> register_and_offset(const Dwarf_Op &operation) {
    if (operation.atom == DW_OP_bregx) {
        return std::pair(operation.number, static_cast<std::int64_t>(operation.number2));
    }
    if (DW_OP_breg0 <= operation.atom && operation.atom < DW_OP_breg0 + return_address) {
        return std::pair(operation.atom - DW_OP_breg0, static_cast<std::int64_t>(operation.number));
    }
    return std::nullopt;
}

SavedAt place_of(Dwarf_Frame *frame, int number) {
    std::array<Dwarf_Op, 3> memory{};
    Dwarf_Op *operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_register(frame, number, memory.data(), &operations, &count) != 0) {
        return {};
    }
    if (count == 0) {
        return {operations == nullptr ? SavedAt::Kind::same : SavedAt::Kind::undefined, 0};
    }
    if (const auto based = register_and_offset(operations[0]); based && count == 1) {
        return {SavedAt::Kind::at_register, based->second, based->first};
    }
    if (operations[0].atom != DW_OP_call_frame_cfa || count > 2) {
        return {};
    }
    if (count == 1) {
        return {SavedAt::Kind::at_offset, 0};
    }
    if (operations[1].atom != DW_OP_plus_uconst) {
        return {};
    }
    return {SavedAt::Kind::at_offset, static_cast<std::int64_t>(operations[1].number)};
}

}  // namespace

// One file's unwind tables; none where it has no readable ones.
class UnwindRules::Tables {
public:
    explicit Tables(const Module &module)
        : file_(module.elf->path()), debug_path_(module.elf->debug_path()), bias_(module.bias),
          // The file may have been replaced since it was mapped.
          is_mapped_(file_.build_id() == module.elf->headers().build_id) {
        if (is_mapped_) {
            tables_ = dwarf_getcfi_elf(file_.elf());
        }
    }
    ~Tables() {
        if (tables_ != nullptr) {
            dwarf_cfi_end(tables_);
        }
    }
    Tables(const Tables &) = delete;
    Tables &operator=(const Tables &) = delete;

    [[nodiscard]] DwarfFrame frame_at(std::uint64_t address) {
        auto found = frame_in(tables_, address);
        if (found == nullptr && is_mapped_) {
            read_debug_tables();
            for (const Debug &each : debug_tables_) {
                found = found != nullptr ? std::move(found)
                                         : frame_in(dwarf_getcfi(each.get()), address);
            }
        }
        return found;
    }

    // Whether it is the file that is mapped, so that what it does not list has no entry.
    [[nodiscard]] bool is_mapped() const { return is_mapped_; }

private:
    struct EndDebug {
        void operator()(Dwarf *debug) const noexcept { dwarf_end(debug); }
    };
    using Debug = std::unique_ptr<Dwarf, EndDebug>;

    [[nodiscard]] DwarfFrame frame_in(Dwarf_CFI *tables, std::uint64_t address) const {
        Dwarf_Frame *frame = nullptr;
        const bool is_found =
            tables != nullptr && dwarf_cfi_addrframe(tables, address - bias_, &frame) == 0;
        return DwarfFrame(is_found ? frame : nullptr);
    }

    // Debuggers have a table of their own, in the file or in its debug file.
    void read_debug_tables() {
        if (std::exchange(is_read_, true)) {
            return;
        }
        try {
            debug_file_ = debug_path_ ? std::make_unique<ElfFile>(*debug_path_) : nullptr;
        } catch (const std::exception &) {
            debug_file_ = nullptr;  // it is gone, or is damaged
        }
        for (const ElfFile *const file :
             std::array<const ElfFile *, 2>{&file_, debug_file_.get()}) {
            if (file != nullptr && file->section_named(".debug_frame") != nullptr) {
                debug_tables_.emplace_back(dwarf_begin_elf(file->elf(), DWARF_C_READ, nullptr));
            }
        }
    }

    ElfFile file_;
    std::optional<std::string> debug_path_;
    std::uint64_t bias_;
    bool is_mapped_;
    Dwarf_CFI *tables_ = nullptr;
    bool is_read_ = false;
    std::unique_ptr<ElfFile> debug_file_;
    std::vector<Debug> debug_tables_;
};

UnwindRules::UnwindRules(Modules modules, std::vector<Range> foreign, bool has_all_files)
    : modules_(std::move(modules)), foreign_(std::move(foreign)), has_all_files_(has_all_files) {}

UnwindRules::~UnwindRules() = default;

bool UnwindRules::is_foreign(std::uint64_t pc) const {
    const auto after = std::upper_bound(
        foreign_.begin(), foreign_.end(), pc,
        [](std::uint64_t address, const Range &range) { return address < range.first; });
    return after != foreign_.begin() && pc < std::prev(after)->second;
}

// What is near the ends of memory is no code.
bool UnwindRules::is_in_no_file(std::uint64_t pc) const {
    const auto is_there = [&](const auto &module) { return holds(*module, pc); };
    return has_all_files_ && pc >= first_page_end && pc < kernels_half && !is_foreign(pc) &&
           std::ranges::none_of(modules_, is_there);
}

UnwindRules::Tables *UnwindRules::tables_of(const Module &module) {
    if (const auto found = tables_.find(&module); found != tables_.end()) {
        return found->second.get();
    }
    std::unique_ptr<Tables> made;
    try {
        made = std::make_unique<Tables>(module);
    } catch (const std::exception &) {
        made = nullptr;  // the file is gone, or is damaged
    }
    return tables_.emplace(&module, std::move(made)).first->second.get();
}

UnwindRule UnwindRules::read(std::uint64_t address) {
    UnwindRule rule;
    rule.unlisted = is_in_no_file(address);
    for (const auto &module : modules_) {
        Tables *const tables = holds(*module, address) ? tables_of(*module) : nullptr;
        const DwarfFrame frame = tables == nullptr ? nullptr : tables->frame_at(address);
        if (frame == nullptr) {
            if (tables != nullptr && tables->is_mapped()) {
                rule.unlisted = true;
                rule.ends = is_in_entry(*module, address);
            }
            continue;
        }
        rule.unlisted = rule.ends = false;
        bool signal = false;
        if (dwarf_frame_info(frame.get(), nullptr, nullptr, &signal) !=
                static_cast<int>(return_address) ||
            signal) {
            return rule;
        }
        for (std::size_t number = 0; number < unwind_registers; ++number) {
            rule.saved[number] = place_of(frame.get(), static_cast<int>(number));
            // What the tables are silent about is not told from what has no value.
            if (rule.saved[number].kind == SavedAt::Kind::undefined && is_preserved(number)) {
                rule.saved[number].kind = SavedAt::Kind::same;
            }
        }
        if (rule.saved[return_address].kind == SavedAt::Kind::undefined) {
            rule.known = rule.ends = true;
            return rule;
        }
        Dwarf_Op *operations = nullptr;
        std::size_t count = 0;
        if (dwarf_frame_cfa(frame.get(), &operations, &count) != 0 || count == 0 || count > 2) {
            return rule;
        }
        const auto based = register_and_offset(operations[0]);
        rule.in_memory = count == 2;
        if (!based || based->first >= return_address ||
            (rule.in_memory && operations[1].atom != DW_OP_deref)) {
            return rule;
        }
        std::tie(rule.base, rule.offset) = *based;
        rule.known = rule.saved[return_address].kind == SavedAt::Kind::at_offset;
        return rule;
    }
    return rule;
}

const UnwindRule &UnwindRules::at(std::uint64_t address) {
    if (const auto found = rules_.find(address); found != rules_.end()) {
        return *found->second;
    }
    auto rule = std::make_unique<UnwindRule>(read(address));
    return *rules_.emplace(address, std::move(rule)).first->second;
}

}  // namespace gdb_ompd
