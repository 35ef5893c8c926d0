// SPDX-License-Identifier: Apache-2.0
#include "unwind/unwinder.hpp"

#include "base/errors.hpp"
#include "base/kernel_memory.hpp"
#include "base/target.hpp"
#include "elf/address_space.hpp"
#include "elf/elf_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <tuple>

namespace gdb_ompd {

// A register's place, as far as it is plain: at an offset from the frame's address or, of functions
// that align their stack, from a register.
struct SavedAt {
    enum class Kind { same, at_offset, at_register, undefined, odd };
    Kind kind = Kind::odd;
    std::int64_t offset = 0;
    std::size_t base = 0;
};

namespace {

constexpr std::size_t frame_pointer = 6;
constexpr std::size_t stack_pointer = 7;
constexpr std::size_t return_address = 16;
// A thread that is deeper in code that is not the user's is the debugger's to unwind.
constexpr std::size_t max_frames = 100000;
// Functions that no table describes, one in another, and all that are met on the ways from one.
constexpr int most_searches_within = 8;
constexpr int most_searches = 64;
constexpr std::uint64_t first_page_end = 4096;
constexpr std::uint64_t longest_entry = 256;  // bytes of code
constexpr std::uint64_t kernels_half = std::uint64_t{1} << 47U;
// Most threads that wait are no deeper in code that is not the user's.
constexpr std::size_t near_size = 1024;

// Whether functions leave a register as it was: rbx, rbp and r12 to r15.
constexpr bool is_preserved(std::size_t number) {
    return number == 3 || number == 6 || (12 <= number && number <= 15);
}

// By DWARF's numbers: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, and those that have numbers.
constexpr std::array<code::Register, 16> processors_numbers{0, 2, 1,  3,  6,  7,  5,  4,
                                                            8, 9, 10, 11, 12, 13, 14, 15};

Registers registers_of(const CallerSearch::Caller &caller) {
    Registers registers;
    for (std::size_t number = 0; number < processors_numbers.size(); ++number) {
        registers[number] = caller.registers[processors_numbers[number]];
    }
    registers[return_address] = caller.pc;
    return registers;
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

std::vector<std::unique_ptr<ThreadStack>> ThreadStack::traced(std::span<const int> lwps,
                                                              std::optional<int> process) {
    std::vector<std::unique_ptr<ThreadStack>> stacks;
    std::vector<Piece> pieces;
    std::vector<ThreadStack *> read;
    for (const int lwp : lwps) {
        const auto registers = thread_registers(lwp);
        stacks.push_back(registers ? std::make_unique<ThreadStack>(*registers, process) : nullptr);
        if (registers && process) {
            ThreadStack &stack = *stacks.back();
            stack.near_.resize(near_size);
            stack.near_from_ = TargetAddr{registers->at(stack_pointer).value_or(0)};
            pieces.push_back({stack.near_from_, stack.near_});
            read.push_back(&stack);
        }
    }
    if (process) {
        read_pieces(*process, pieces);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (!pieces[i].is_read) {
            read[i]->near_.clear();  // less than that is left of the stack
        }
    }
    return stacks;
}

void ThreadStack::read_near(AddressSpace &space, TargetAddr address) {
    near_.resize(near_size);
    near_from_ = address;
    if (process_) {
        std::array pieces{Piece{address, near_}};
        read_pieces(*process_, pieces);
        if (pieces[0].is_read) {
            return;
        }
    }
    try {
        is_all_there_ = space.cache().read_exactly(address, near_);
    } catch (const MemoryUnreadable &) {
        is_all_there_ = false;  // less than that is left of the stack, or none is there
    }
    if (!is_all_there_) {
        near_.clear();
    }
}

std::optional<std::uint64_t> ThreadStack::word_at(AddressSpace &space, TargetAddr address) {
    const auto is_near = [&] {
        return near_.size() == near_size &&
               address.value - near_from_.value <= near_size - pointer_size;
    };
    if (!is_near() && is_all_there_) {
        read_near(space, address);
    }
    return is_near() ? space.to_uint(
                           std::span(near_).subspan(address.value - near_from_.value, pointer_size))
                     : space.uint_at(address, pointer_size);
}

// How to get from the frame at one address to its caller's.
struct Unwinder::Rule {
    bool known = false;
    bool unlisted = false;  // no file has an entry for the address
    bool ends = false;      // this frame has no caller
    std::size_t base = stack_pointer;
    std::int64_t offset = 0;
    bool in_memory = false;  // that is where the frame's address is
    std::array<SavedAt, unwind_registers> saved{};
};

// One file's unwind tables; none where it has no readable ones.
class Unwinder::Tables {
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

Unwinder::Unwinder(std::shared_ptr<AddressSpace> space, Modules modules, std::vector<Range> foreign,
                   bool has_all_files)
    : space_(std::move(space)), modules_(std::move(modules)), foreign_(std::move(foreign)),
      has_all_files_(has_all_files) {}

Unwinder::~Unwinder() = default;

bool Unwinder::is_foreign(std::uint64_t pc) const {
    const auto after = std::upper_bound(
        foreign_.begin(), foreign_.end(), pc,
        [](std::uint64_t address, const Range &range) { return address < range.first; });
    return after != foreign_.begin() && pc < std::prev(after)->second;
}

// What is near the ends of memory is no code.
bool Unwinder::is_in_no_file(std::uint64_t pc) const {
    const auto is_there = [&](const auto &module) { return holds(*module, pc); };
    return has_all_files_ && pc >= first_page_end && pc < kernels_half && !is_foreign(pc) &&
           std::ranges::none_of(modules_, is_there);
}

Unwinder::Tables *Unwinder::tables_of(const Module &module) {
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

Unwinder::Rule Unwinder::read_rule(std::uint64_t address) {
    Rule rule;
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

const Unwinder::Rule &Unwinder::rule_at(std::uint64_t address) {
    if (const auto found = rules_.find(address); found != rules_.end()) {
        return *found->second;
    }
    auto rule = std::make_unique<Rule>(read_rule(address));
    return *rules_.emplace(address, std::move(rule)).first->second;
}

bool Unwinder::add_caller(ThreadStack &stack) {
    if (stack.end_ != ThreadStack::End::open) {
        return false;
    }
    const auto &frames = stack.frames_;
    Registers registers = frames.back().registers;
    // A call may be a function's last instruction: its caller is where it was made.
    const Rule &rule = rule_at(frames.back().pc - (frames.size() > 1 ? 1 : 0));
    if (rule.ends) {
        stack.end_ = ThreadStack::End::found;
        return false;
    }
    stack.end_ = ThreadStack::End::not_plain;
    if (rule.unlisted && frames.size() < max_frames) {
        const UnwoundFrame frame = frames.back();
        const auto caller = found_caller(frame.pc, frames.size() > 1, frame.registers);
        if (caller) {
            stack.frames_.push_back(
                {caller->registers[return_address].value_or(0), caller->registers});
            stack.end_ = ThreadStack::End::open;
        }
        return caller.has_value();
    }
    if (!rule.known || !registers[rule.base] || frames.size() == max_frames) {
        return false;
    }
    TargetAddr frame{*registers[rule.base] + static_cast<std::uint64_t>(rule.offset)};
    if (rule.in_memory) {
        frame.value = stack.word_at(*space_, frame).value_or(0);
    }
    // Of an outer frame; a stack that does not grow so is not plain.
    if (frame.value == 0 ||
        (registers[stack_pointer] && frame.value < *registers[stack_pointer] + pointer_size)) {
        return false;
    }
    const Registers inner = registers;
    for (std::size_t number = 0; number < unwind_registers; ++number) {
        const SavedAt &place = rule.saved[number];
        if (place.kind == SavedAt::Kind::at_offset) {
            registers[number] =
                stack.word_at(*space_, frame + static_cast<std::uint64_t>(place.offset));
        } else if (place.kind == SavedAt::Kind::at_register && inner[place.base]) {
            registers[number] = stack.word_at(
                *space_, TargetAddr{*inner[place.base] + static_cast<std::uint64_t>(place.offset)});
        } else if (place.kind != SavedAt::Kind::same) {
            registers[number].reset();
        }
    }
    registers[stack_pointer] = frame.value;
    if (registers[return_address].value_or(0) == 0) {
        return false;
    }
    stack.frames_.push_back({*registers[return_address], registers});
    stack.end_ = ThreadStack::End::open;
    return true;
}

std::optional<FoundCaller> Unwinder::listed_caller(std::uint64_t pc, bool is_calling,
                                                   const Registers &registers) {
    Registers own = registers;
    own[return_address] = pc;
    ThreadStack stack(own, std::nullopt);
    if (is_calling) {  // its address is a return address
        stack.frames_.insert(stack.frames_.begin(), UnwoundFrame{});
    }
    return add_caller(stack) ? std::optional(FoundCaller{0, stack.frames().back().registers})
                             : std::nullopt;
}

bool Unwinder::is_unlisted(std::uint64_t pc, bool is_calling) {
    return rule_at(pc - (is_calling ? 1 : 0)).unlisted;
}

std::optional<FoundCaller> Unwinder::found_caller(std::uint64_t pc, bool is_calling,
                                                  const Registers &registers) {
    if (rule_at(pc - (is_calling ? 1 : 0)).ends) {
        Registers none = registers;
        none[return_address] = 0;
        return FoundCaller{pc, none};
    }
    if (searches_ == 0) {
        searches_left_ = most_searches;
    }
    if (searches_ == most_searches_within || searches_left_ == 0) {
        return std::nullopt;
    }
    --searches_left_;
    if (search_ == nullptr) {
        search_ = std::make_unique<CallerSearch>(space_, modules_);
    }
    ++searches_;
    const auto found = search_->find(
        pc, is_calling,
        [&](code::Register number) -> code::Value {
            const auto *const at = std::ranges::find(processors_numbers, number);
            return at == processors_numbers.end()
                       ? std::nullopt
                       : registers[static_cast<std::size_t>(at - processors_numbers.begin())];
        },
        [this](std::uint64_t function) { return is_unlisted(function, false); },
        [this](const CallerSearch::Caller &caller) {
            ThreadStack stack(registers_of(caller), std::nullopt);
            // Its address is a return address, as of a frame that has called.
            stack.frames_.insert(stack.frames_.begin(), UnwoundFrame{});
            std::vector<std::uint64_t> way;
            if (unwind(stack, max_frames)) {
                for (const UnwoundFrame &frame : std::span(stack.frames()).subspan(1)) {
                    way.push_back(frame.registers[stack_pointer].value_or(0));
                }
            }
            return way;
        });
    --searches_;
    return found ? std::optional(FoundCaller{found->function, registers_of(*found)}) : std::nullopt;
}

std::optional<std::size_t> Unwinder::to_user(ThreadStack &stack) {
    if (!stack.frames().front().registers[return_address]) {
        return std::nullopt;
    }
    for (std::size_t count = 1;; ++count) {
        const std::uint64_t pc = stack.frames()[count - 1].pc;
        if (!is_foreign(pc) && !passed_.contains(pc)) {
            return count;
        }
        if (count == stack.frames().size() && !add_caller(stack)) {
            return stack.end_ == ThreadStack::End::found ? std::optional(count) : std::nullopt;
        }
    }
}

std::optional<std::uint64_t> Unwinder::last_executed(ThreadStack &stack) {
    const auto count = to_user(stack);
    return count ? std::optional(stack.frames()[*count - 1].pc - (*count > 1 ? 1 : 0))
                 : std::nullopt;
}

std::optional<std::vector<std::uint64_t>> Unwinder::callers(std::uint64_t pc, std::uint64_t sp,
                                                            std::uint64_t bp) {
    Registers registers;
    registers[frame_pointer] = bp;
    registers[stack_pointer] = sp;
    registers[return_address] = pc;
    ThreadStack stack(registers, std::nullopt);
    space_->cache().clear();
    const auto count = to_user(stack);
    if (!count) {
        return std::nullopt;
    }
    std::vector<std::uint64_t> found;
    for (const UnwoundFrame &frame : std::span(stack.frames()).first(*count).subspan(1)) {
        found.push_back(frame.pc);
    }
    return found;
}

bool Unwinder::unwind(ThreadStack &stack, std::size_t count) {
    while (stack.frames().size() < count && add_caller(stack)) {
    }
    return stack.end_ == ThreadStack::End::found;
}

}  // namespace gdb_ompd
