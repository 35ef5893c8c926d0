// SPDX-License-Identifier: Apache-2.0
#include "code/ahead.hpp"

#include "code/call_arguments.hpp"
#include "code/known.hpp"
#include "elf/address_space.hpp"

#include <algorithm>
#include <string_view>

namespace gdb_ompd::code {

namespace {

constexpr int most_instructions = 2000;
constexpr std::size_t most_calls = 4;  // of functions that call each other
constexpr unsigned narrowest = 4;  // bytes: what is written sets the others of the register to 0

// Functions of the system and of the runtimes, by their plain names, that change nothing the
// program can see. A RECORD of SIZE bytes is excepted, to which the argument with that number
// points.
struct Harmless {
    enum class Result : std::uint8_t { unknown, zero, self, thread_num, num_threads };

    std::string_view name;
    Result result = Result::unknown;
    int record = -1;
    unsigned size = 0;
    bool tells_time = false;
};

constexpr std::array harmless{
    Harmless{"sched_yield", Harmless::Result::zero},
    Harmless{"thrd_yield", Harmless::Result::zero},
    Harmless{"usleep", Harmless::Result::zero},
    Harmless{"sleep", Harmless::Result::zero},
    Harmless{"nanosleep", Harmless::Result::zero, 1, 16},
    Harmless{"clock_gettime", Harmless::Result::zero, 1, 16, true},
    Harmless{"gettimeofday", Harmless::Result::zero, 0, 16, true},
    Harmless{"time", Harmless::Result::unknown, 0, 8, true},
    Harmless{"std::chrono::_V2::steady_clock::now", Harmless::Result::unknown, -1, 0, true},
    Harmless{"std::chrono::_V2::system_clock::now", Harmless::Result::unknown, -1, 0, true},
    Harmless{"pthread_self", Harmless::Result::self},
    Harmless{"pthread_mutex_lock", Harmless::Result::zero},
    Harmless{"pthread_mutex_unlock", Harmless::Result::zero},
    Harmless{"pthread_cond_signal", Harmless::Result::zero},
    Harmless{"pthread_cond_broadcast", Harmless::Result::zero},
    Harmless{"errno_location"},
    Harmless{"omp_get_thread_num", Harmless::Result::thread_num},
    Harmless{"omp_get_num_threads", Harmless::Result::num_threads},
    Harmless{"omp_get_wtime", Harmless::Result::unknown, -1, 0, true},
    Harmless{"kmpc_flush"},
    Harmless{"kmpc_global_thread_num"},
};

const Harmless *known(std::string_view name) {
    const auto *const found = std::ranges::find(harmless, name, &Harmless::name);
    return found == harmless.end() ? nullptr : found;
}

// As GCC's runtime yields to tasks: LLVM's executes some.
bool does_nothing(const FunctionCode *code) {
    return code != nullptr && !code->instructions().empty() &&
           std::ranges::all_of(code->instructions(), [](const auto &each) {
               return each.operation == Operation::nothing ||
                      each.operation == Operation::give_back;
           });
}

constexpr std::string_view lets_mutex_go = "pthread_mutex_unlock";

// What an instruction calls of the runtime's that enters or leaves a mutex.
const EntryPoint *mutex_call(UserCalls &calls, const Instruction &call) {
    const auto called = calls.of_call(call.end());
    const bool is_of_mutex =
        called && called->entry != nullptr && called->entry->lock != LockEffect::none;
    return is_of_mutex ? called->entry : nullptr;
}

const Harmless *called_by(UserCalls &calls, const Instruction &call) {
    static constexpr Harmless nothing{};
    FunctionReader &functions = calls.functions();
    const auto target = calls.targets().destination(call);
    if (target && does_nothing(functions.function_at_start(*target))) {
        return &nothing;
    }
    if (const auto name = target ? functions.plain_name(*target) : std::nullopt) {
        return known(*name);
    }
    const Module *const module = functions.module_at(call.address);
    if (!target || module == nullptr || functions.module_at(*target) != nullptr) {
        return nullptr;
    }
    // The kernel's code for asking the time is in no file.
    const LinkedNames::Names &linked = calls.names().in(*module);
    const auto slot = std::ranges::find_if(linked, [&](const auto &one) {
        return functions.space().uint_at(TargetAddr{one.first}, pointer_size) == target;
    });
    return slot == linked.end() ? nullptr : known(slot->second);
}

Value returned(const Harmless &called, const Ahead::Self &self) {
    switch (called.result) {
    case Harmless::Result::zero:
        return 0;
    case Harmless::Result::self:
        return self.pthread;
    case Harmless::Result::thread_num:
        return self.thread_num;
    case Harmless::Result::num_threads:
        return self.num_threads;
    case Harmless::Result::unknown:
        break;
    }
    return std::nullopt;
}

bool overlaps(const Piece &one, const Piece &other) {
    return one.first < other.first + other.second && other.first < one.first + one.second;
}

}  // namespace

Ahead::Ahead(UserCalls &calls, const Frame &frame, std::pair<std::uint64_t, std::uint64_t> stack)
    : calls_(calls), architecture_(*calls.functions().architecture()),
      convention_(architecture_.convention()), stack_(std::move(stack)), pc_(frame.pc) {
    for (std::size_t number = 0; number < registers_.size(); ++number) {
        hold(static_cast<Register>(number), frame.held_by(static_cast<Register>(number)),
             pointer_size);
    }
}

void Ahead::set_result(Value result) { hold(convention_.returned, result, pointer_size); }

Value Ahead::result_of_call(UserCalls &calls, std::span<const Frame> frames, const Self &self) {
    const std::uint64_t pc = frames.front().pc;
    const FunctionCode *const code = calls.functions().function(pc - 1);
    const auto index = code != nullptr ? code->call_before(pc) : std::nullopt;
    if (const auto tries = index ? tried_by(calls, code->at(*index)) : std::nullopt) {
        const Value lock =
            CallArguments(calls).argument(static_cast<std::size_t>(tries->object), {}, frames);
        const bool has_failed =
            lock && self.has_failed && self.has_failed(Tried{tries->kind, *lock});
        return has_failed ? Value{tries->failed} : std::nullopt;  // it may have just set it
    }
    const Harmless *const called = index ? called_by(calls, code->at(*index)) : nullptr;
    return called != nullptr && !called->tells_time ? returned(*called, self) : Value{0};
}

void Ahead::set_returned(const Ahead &callee) {
    for (std::size_t number = 0; number < registers_.size(); ++number) {
        const auto name = static_cast<Register>(number);
        const bool is_left = (convention_.preserved_bits() & bit_of(name)) == 0;
        if (is_left && name != convention_.stack_pointer) {
            registers_.at(number) = callee.registers_.at(number);
        }
    }
    written_ = callee.written_;
}

void Ahead::pass_call(std::uint64_t result) {
    if (const Instruction *const call = instruction()) {
        forget(~convention_.preserved_bits());
        set_result(result);
        pc_ = call->end();
    }
}

void Ahead::set_swapped(const Instruction &instruction, std::uint64_t expected) {
    compared_ = instruction.computation;
    first_ = cut(expected, instruction.width);
    second_ = held_by(compared_.first.number, instruction.width);
}

void Ahead::set_memory(const Piece &piece, std::uint64_t value) { write(piece, value); }

Ahead::End Ahead::go_to(std::uint64_t address, bool at_turns) {
    for (int steps = 0; steps < most_instructions; ++steps) {
        const Instruction *const next = instruction();
        if (next == nullptr) {
            return End::unknown;
        }
        switch (step(*next)) {
        case Step::fails:
            return End::unknown;
        case Step::forks:
            return End::forks;
        case Step::ends:
            return End::returns;
        case Step::next:
            break;
        }
        if (pc_ == address && callers_.empty()) {
            return End::comes;
        }
        if (at_turns && next->is_jump() && pc_ <= next->address) {
            return End::turns;
        }
    }
    return End::unknown;
}

const Instruction *Ahead::instruction() {
    const FunctionCode *const code = calls_.functions().function(pc_);
    const auto index = code != nullptr ? code->index_of(pc_) : std::nullopt;
    return index ? &code->at(*index) : nullptr;
}

Ahead::Step Ahead::step(const Instruction &instruction) {
    if (instruction.sets_flags) {
        compared_ = instruction.computation;
        first_ = operand(instruction, compared_.first);
        second_ = operand(instruction, compared_.second);
    }
    switch (instruction.operation) {
    case Operation::call:
        return call(instruction);
    case Operation::give_back:
        return give_back();
    case Operation::jump:
    case Operation::branch:
        return jump(instruction);
    case Operation::trap:
        return Step::fails;
    case Operation::push:
        move_stack(-static_cast<std::int64_t>(pointer_size));
        if (const Value top = held_by(convention_.stack_pointer, pointer_size)) {
            write({*top, pointer_size}, std::nullopt);
        }
        break;
    case Operation::pop:
        // With the frame pointer the stack pointer may have been set to it.
        if (instruction.destination == convention_.frame_pointer) {
            forget(bit_of(convention_.stack_pointer));
        }
        forget(bit_of(instruction.destination));
        move_stack(pointer_size);
        break;
    case Operation::store:
    case Operation::store_or:
    case Operation::store_and:
    case Operation::update:
        if (instruction.swaps || instruction.swaps_if_equal) {
            if (!swap(instruction)) {
                return Step::fails;
            }
            break;
        }
        if (!store(instruction)) {
            return Step::fails;
        }
        [[fallthrough]];
    default:
        compute(instruction);
    }
    pc_ = instruction.end();
    return Step::next;
}

// The program's own functions are followed, too; those that are harmless have returned.
Ahead::Step Ahead::call(const Instruction &instruction) {
    Caller caller{instruction.end(), registers_};
    const auto target = calls_.targets().destination(instruction);
    if (!target || !calls_.code().is_user(*target)) {
        return call_outside(instruction, caller);
    }
    if (callers_.size() == most_calls || calls_.functions().function_at_start(*target) == nullptr) {
        return Step::fails;
    }
    callers_.push_back(caller);
    move_stack(-static_cast<std::int64_t>(convention_.pushed_by_call));
    pc_ = *target;
    return Step::next;
}

Ahead::Step Ahead::call_outside(const Instruction &instruction, const Caller &caller) {
    if (const auto tries = tried_by(calls_, instruction)) {
        return fail_to_set(*tries, caller);
    }
    if (const EntryPoint *const mutex = mutex_call(calls_, instruction)) {
        lets_go_ = lets_go_ || mutex->lock == LockEffect::leaves;
        return have_returned(caller, std::nullopt);
    }
    const Harmless *const called = called_by(calls_, instruction);
    if (called == nullptr) {
        return Step::fails;
    }
    lets_go_ = lets_go_ || called->name == lets_mutex_go;
    asks_time_ = asks_time_ || called->tells_time;
    const bool stands = called->tells_time && time_stands_;
    if (called->record >= 0 && !stands) {
        const auto number = static_cast<std::size_t>(called->record);
        const Value record = held_by(convention_.arguments[number], pointer_size);
        if (!record) {
            return Step::fails;
        }
        if (*record != 0) {
            write({*record, called->size}, std::nullopt);
        }
    }
    return have_returned(caller, stands ? 0 : returned(*called, self_));
}

// The lock is read by that, and stays as it is.
Ahead::Step Ahead::fail_to_set(const Try &tries, const Caller &caller) {
    const Value lock =
        held_by(convention_.arguments[static_cast<std::size_t>(tries.object)], pointer_size);
    if (!lock || !self_.fails || !self_.fails(Tried{tries.kind, *lock})) {
        return Step::fails;
    }
    const Piece word{*lock, narrowest};
    tried_.emplace(word, tries.kind);
    const bool is_supposed = supposed_ && supposed_->first == word;
    read_.emplace(word, std::nullopt);
    return have_returned(caller, is_supposed ? std::nullopt : Value{tries.failed});
}

Ahead::Step Ahead::have_returned(const Caller &caller, Value result) {
    callers_.push_back(caller);
    forget(~std::uint64_t{0});
    set_result(result);
    return give_back();
}

// What a callee preserves is as it was.
Ahead::Step Ahead::give_back() {
    if (callers_.empty()) {
        return Step::ends;
    }
    for (const NamedRegister &one : convention_.preserved) {
        registers_.at(one.number) = callers_.back().registers.at(one.number);
    }
    pc_ = callers_.back().returns_to;
    callers_.pop_back();
    return Step::next;
}

Ahead::Step Ahead::jump(const Instruction &instruction) {
    const auto goes =
        instruction.operation == Operation::jump ? true : holds(instruction.condition);
    if (!goes) {
        return Step::forks;
    }
    if (instruction.operation == Operation::branch && callers_.empty()) {
        decided_.insert(instruction.address);
    }
    const auto target = goes_to(instruction);
    if (*goes && (!target || !calls_.code().is_user(*target))) {
        return Step::fails;
    }
    pc_ = *goes ? *target : instruction.end();
    return Step::next;
}

std::optional<std::uint64_t> Ahead::goes_to(const Instruction &instruction) const {
    const auto target = calls_.targets().destination(instruction);
    const bool is_by_table =
        !target && instruction.target == 0 && instruction.source != no_register;
    return is_by_table ? held_by(instruction.source, pointer_size) : target;
}

std::vector<std::uint64_t> Ahead::place() const {
    std::vector<std::uint64_t> found{pc_};
    for (const Caller &caller : callers_) {
        found.push_back(caller.returns_to);
    }
    return found;
}

void Ahead::take(bool branch) {
    if (const Instruction *const fork = instruction()) {
        pc_ = branch ? fork->target : fork->end();
    }
}

bool Ahead::join(Ahead &other) {
    bool changes = false;
    for (std::size_t number = 0; number < registers_.size(); ++number) {
        Held &held = registers_.at(number);
        if (held.known != 0 && held != other.registers_.at(number)) {
            held = {};
            changes = true;
        }
    }
    std::map<Piece, Value> both = written_;
    both.insert(other.written_.begin(), other.written_.end());
    for (const auto &[piece, value] : both) {
        const Value own = load(piece.first, piece.second);
        const bool differs = own && own != other.load(piece.first, piece.second);
        changes = changes || differs;
        written_[piece] = differs ? std::nullopt : own;
    }
    if (compared_ != other.compared_ || first_ != other.first_ || second_ != other.second_) {
        first_.reset();
        second_.reset();
    }
    return changes;
}

bool Ahead::store(const Instruction &instruction) {
    const Value at = address(instruction);
    if (!at || instruction.width == 0) {
        return false;
    }
    const bool is_known =
        instruction.operation != Operation::update && instruction.width <= pointer_size;
    const Value source = instruction.source == no_register
                             ? Value{static_cast<std::uint64_t>(instruction.immediate)}
                             : held_by(instruction.source, instruction.width);
    const bool is_plain = instruction.operation == Operation::store;
    const Value before = is_known && !is_plain ? load(*at, instruction.width) : Value{0};
    const auto combined = [&] {
        return instruction.operation == Operation::store_and ? *before & *source
                                                             : *before | *source;
    };
    const Value value =
        is_known && before && source ? Value{cut(combined(), instruction.width)} : std::nullopt;
    if (instruction.second_source != no_register) {
        write({*at + instruction.width, instruction.width}, std::nullopt);
    }
    write({*at, instruction.width}, value);
    return true;
}

bool Ahead::swap(const Instruction &instruction) {
    const Value at = address(instruction);
    const unsigned width = instruction.width;
    if (!at || width == 0 || width > pointer_size) {
        return false;
    }
    const Value before = load(*at, width);
    const Value source = held_by(instruction.source, width);
    if (instruction.swaps) {
        write({*at, width}, source);
        hold(instruction.source, before, width);
        return true;
    }
    const Register compared = instruction.computation.first.number;
    const Value expected = held_by(compared, width);
    if (!before || !expected) {
        return false;
    }
    if (*before == *expected) {
        write({*at, width}, source);
    } else {
        hold(compared, before, width);
    }
    return true;
}

void Ahead::compute(const Instruction &instruction) {
    const Computation &made = instruction.computation;
    Value found;
    const bool is_conditional =
        made.arithmetic == Arithmetic::choose || made.arithmetic == Arithmetic::holds;
    if (is_conditional) {
        const auto is_so = holds(instruction.condition);
        if (is_so && made.arithmetic == Arithmetic::holds) {
            found = *is_so ? 1 : 0;
        } else if (is_so) {
            found = operand(instruction, *is_so ? made.second : made.first);
        }
    } else if (made.destination != no_register) {
        const Value first = operand(instruction, made.first);
        const bool is_alone = made.arithmetic == Arithmetic::first;
        const Value second = is_alone ? Value{0} : operand(instruction, made.second);
        found = first && second ? computed(instruction, *first, *second) : std::nullopt;
    }
    const bool is_plain = made.arithmetic != Arithmetic::unknown && made.destination != no_register;
    forget(instruction.writes & ~(is_plain ? bit_of(made.destination) : 0));
    if (is_plain) {
        hold(made.destination, found, made.width);
    }
}

void Ahead::forget(std::uint64_t registers) {
    for (std::size_t number = 0; number < registers_.size(); ++number) {
        if ((registers & bit_of(static_cast<Register>(number))) != 0) {
            registers_.at(number) = {};
        }
    }
}

void Ahead::move_stack(std::int64_t bytes) {
    const Value top = held_by(convention_.stack_pointer, pointer_size);
    hold(convention_.stack_pointer,
         top ? Value{*top + static_cast<std::uint64_t>(bytes)} : std::nullopt, pointer_size);
}

Value Ahead::held_by(Register name, unsigned width) const {
    const Held held = name < registers_.size() ? registers_.at(name) : Held{};
    return width <= held.known ? Value{cut(held.value, width)} : std::nullopt;
}

void Ahead::hold(Register name, Value value, unsigned width) {
    if (name >= registers_.size()) {
        return;
    }
    Held &held = registers_.at(name);
    if (!value) {
        held = {};
    } else if (width >= narrowest) {
        held = {cut(*value, width), pointer_size};
    } else {
        const std::uint64_t others = held.known > width ? held.value - cut(held.value, width) : 0;
        held = {others | cut(*value, width), std::max(held.known, width)};
    }
}

Value Ahead::operand(const Instruction &instruction, const Operand &operand) {
    Value found;
    switch (operand.kind) {
    case Operand::Kind::immediate:
        return static_cast<std::uint64_t>(instruction.immediate);
    case Operand::Kind::in_register:
        found = held_by(operand.number, operand.width);
        break;
    case Operand::Kind::memory: {
        const Value at = address(instruction);
        found = at ? load(*at, operand.width) : std::nullopt;
        break;
    }
    case Operand::Kind::address:
        return address(instruction);
    case Operand::Kind::none:
        break;
    }
    return found && operand.is_signed ? Value{extended(*found, operand.width)} : found;
}

Value Ahead::address(const Instruction &instruction) const {
    const Memory &memory = instruction.memory;
    if (memory.thread_local_segment) {
        return std::nullopt;
    }
    auto found = static_cast<std::uint64_t>(memory.displacement);
    for (const auto &[name, scale] :
         {std::pair(memory.base, 1U), std::pair(memory.index, unsigned{memory.scale})}) {
        if (name != no_register) {
            const Value part = held_by(name, pointer_size);
            if (!part) {
                return std::nullopt;
            }
            found += *part * scale;
        }
    }
    return found;
}

Value Ahead::load(std::uint64_t address, unsigned width) {
    const Piece piece{address, width};
    const auto written = written_.find(piece);
    if (written != written_.end()) {
        return written->second;
    }
    if (std::ranges::any_of(written_,
                            [&](const auto &one) { return overlaps(one.first, piece); })) {
        return std::nullopt;
    }
    if (supposed_ && overlaps(supposed_->first, piece)) {
        return supposed_->first == piece ? supposed_->second : std::nullopt;
    }
    const Value found = calls_.functions().space().uint_at(TargetAddr{address}, width);
    if (!is_own(address) && !calls_.functions().is_constant(address)) {
        read_[piece] = found;
    }
    return found;
}

bool Ahead::is_own(std::uint64_t address) const {
    return stack_.first <= address && address < stack_.second;
}

bool Ahead::changes_memory() const {
    return std::ranges::any_of(written_, [this](const auto &one) {
        const auto &[piece, value] = one;
        return !is_own(piece.first) &&
               (!value ||
                calls_.functions().space().uint_at(TargetAddr{piece.first}, piece.second) != value);
    });
}

void Ahead::write(const Piece &piece, Value value) {
    for (auto &[other, known] : written_) {
        if (other != piece && overlaps(other, piece)) {
            known.reset();
        }
    }
    written_[piece] = value;
}

std::optional<bool> Ahead::holds(Condition condition) const {
    return first_ && second_ ? is_true(condition, compared_, *first_, *second_) : std::nullopt;
}

}  // namespace gdb_ompd::code
