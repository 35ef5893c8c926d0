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

namespace gdb_ompd {

// A register's place or the frame's address, as far as it is plain.
struct SavedAt {
    enum class Kind { same, at_offset, undefined, odd };
    Kind kind = Kind::odd;
    std::int64_t offset = 0;
};

namespace {

constexpr std::size_t stack_pointer = 7;
constexpr std::size_t return_address = 16;
// A thread that is deeper in code that is not the user's is the debugger's to unwind.
constexpr std::size_t max_frames = 100000;
// Most threads that wait are no deeper in code that is not the user's.
constexpr std::size_t near_size = 1024;

// Whether functions leave a register as it was: rbx, rbp and r12 to r15.
constexpr bool is_preserved(std::size_t number) {
    return number == 3 || number == 6 || (12 <= number && number <= 15);
}

struct FreeFrame {
    void operator()(Dwarf_Frame *frame) const noexcept { std::free(frame); }
};
using DwarfFrame = std::unique_ptr<Dwarf_Frame, FreeFrame>;

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
    bool ends = false;  // this frame has no caller
    std::size_t base = stack_pointer;
    std::int64_t offset = 0;
    std::array<SavedAt, unwind_registers> saved{};
};

// One file's unwind tables; none where it has no readable ones.
class Unwinder::Tables {
public:
    explicit Tables(const Module &module) : file_(module.elf->path()), bias_(module.bias) {
        // The file may have been replaced since it was mapped.
        if (file_.build_id() == module.elf->headers().build_id) {
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

    [[nodiscard]] DwarfFrame frame_at(std::uint64_t address) const {
        Dwarf_Frame *frame = nullptr;
        if (tables_ == nullptr || dwarf_cfi_addrframe(tables_, address - bias_, &frame) != 0) {
            return nullptr;
        }
        return DwarfFrame(frame);
    }

private:
    ElfFile file_;
    std::uint64_t bias_;
    Dwarf_CFI *tables_ = nullptr;
};

Unwinder::Unwinder(std::shared_ptr<AddressSpace> space, Modules modules, std::vector<Range> foreign)
    : space_(std::move(space)), modules_(std::move(modules)), foreign_(std::move(foreign)) {}

Unwinder::~Unwinder() = default;

bool Unwinder::is_foreign(std::uint64_t pc) const {
    const auto after = std::upper_bound(
        foreign_.begin(), foreign_.end(), pc,
        [](std::uint64_t address, const Range &range) { return address < range.first; });
    return after != foreign_.begin() && pc < std::prev(after)->second;
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
    const auto holds = [address](const Module &module) {
        const auto &segments = module.elf->headers().segments;
        return std::any_of(segments.begin(), segments.end(), [&](const Segment &segment) {
            return address - module.bias - segment.address < segment.size;
        });
    };
    Rule rule;
    for (const auto &module : modules_) {
        Tables *const tables = holds(*module) ? tables_of(*module) : nullptr;
        const DwarfFrame frame = tables == nullptr ? nullptr : tables->frame_at(address);
        if (frame == nullptr) {
            continue;
        }
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
        if (dwarf_frame_cfa(frame.get(), &operations, &count) != 0 || count != 1 ||
            operations[0].atom != DW_OP_bregx || operations[0].number >= return_address) {
            return rule;
        }
        rule.base = operations[0].number;
        rule.offset = static_cast<std::int64_t>(operations[0].number2);
        rule.known = rule.saved[return_address].kind == SavedAt::Kind::at_offset;
        return rule;
    }
    return rule;
}

const Unwinder::Rule &Unwinder::rule_at(std::uint64_t address) {
    if (const auto found = rules_.find(address); found != rules_.end()) {
        return found->second;
    }
    return rules_.emplace(address, read_rule(address)).first->second;
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
    if (!rule.known || !registers[rule.base] || frames.size() == max_frames) {
        return false;
    }
    const TargetAddr frame{*registers[rule.base] + static_cast<std::uint64_t>(rule.offset)};
    // Of an outer frame; a stack that does not grow so is not plain.
    if (registers[stack_pointer] && frame.value < *registers[stack_pointer] + pointer_size) {
        return false;
    }
    for (std::size_t number = 0; number < unwind_registers; ++number) {
        const SavedAt &place = rule.saved[number];
        if (place.kind == SavedAt::Kind::at_offset) {
            registers[number] =
                stack.word_at(*space_, frame + static_cast<std::uint64_t>(place.offset));
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

bool Unwinder::unwind(ThreadStack &stack, std::size_t count) {
    while (stack.frames().size() < count && add_caller(stack)) {
    }
    return stack.end_ == ThreadStack::End::found;
}

}  // namespace gdb_ompd
