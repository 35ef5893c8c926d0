// SPDX-License-Identifier: Apache-2.0
#include "code/effects.hpp"

#include "base/target.hpp"
#include "code/known.hpp"
#include "code/register_states.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gdb_ompd::code {

namespace {

constexpr std::size_t vector_words = 8;  // of the widest register, 512 bits

using VectorConstant = std::array<std::uint64_t, vector_words>;

class Follower {
public:
    Follower(std::span<const std::span<const Instruction>> pieces, const Image &image,
             const Architecture &architecture)
        : image_(image), architecture_(architecture), pieces_(pieces), states_(pieces) {}

    std::vector<Effect> follow() {
        for (const auto &piece : pieces_) {
            if (&piece != pieces_.data()) {
                states_.stop();
            }
            for (const Instruction &instruction : piece) {
                states_.arrive(instruction.address);
                step(instruction);
            }
        }
        return std::move(effects_);
    }

private:
    void step(const Instruction &instruction) {
        switch (instruction.operation) {
        case Operation::nothing:
            return;
        case Operation::move:
        case Operation::insert:
        case Operation::add:
        case Operation::bit_or:
        case Operation::address:
        case Operation::pop:
            set(instruction, result_of(instruction));
            return;
        case Operation::load:
            load(instruction);
            return;
        case Operation::store:
        case Operation::store_or:
        case Operation::store_and:
        case Operation::update:
        case Operation::compare:
            touch(instruction);
            return;
        case Operation::push:
            pushed_ = instruction.source == no_register && !instruction.has_memory
                          ? constant(instruction.immediate)
                          : Known{};
            return;
        default:
            flow(instruction);
        }
    }

    [[nodiscard]] Known held_by(Register number) const { return states_.held_by(number); }

    void set(const Instruction &instruction, const Known &known) {
        states_.forget(instruction.writes);
        states_.set(instruction.destination, known);
    }

    Known result_of(const Instruction &instruction) {
        const bool wide = instruction.destination >= first_vector_register;
        const Known source = instruction.source == no_register ? constant(instruction.immediate)
                                                               : held_by(instruction.source);
        switch (instruction.operation) {
        case Operation::move:
            return moved(instruction, source, wide);
        case Operation::insert: {
            const Known old = held_by(instruction.destination);
            const std::uint64_t mask = std::uint64_t{0xffff} << instruction.shift;
            const auto part = static_cast<std::uint64_t>(instruction.immediate)
                              << instruction.shift;
            return old.is_constant() ? Known{old.kind, (old.value & ~mask) | (part & mask)}
                                     : Known{};
        }
        case Operation::add:
            return computed(source,
                            source.value + static_cast<std::uint64_t>(instruction.immediate),
                            instruction.width);
        case Operation::bit_or:
            return combined(source, static_cast<std::uint64_t>(instruction.immediate),
                            instruction.width);
        case Operation::address:
            return taken_address(instruction);
        default:
            return std::exchange(pushed_, {});
        }
    }

    Known moved(const Instruction &instruction, Known source, bool wide) {
        if (wide && instruction.source == no_register) {
            return filled(instruction);
        }
        if (wide && source.is_constant()) {
            const Known second = held_by(instruction.second_source);
            return vector({cut(source.value, instruction.width), second.value});
        }
        if (source.kind == Known::Kind::vector && !wide) {
            return {Known::Kind::constant, cut(vectors_[source.value][0], instruction.width)};
        }
        if (source.is_constant()) {
            // Writing a part of a register leaves the rest; 4 bytes clear it.
            return instruction.width >= 4 ? Known{source.kind, cut(source.value, instruction.width)}
                                          : Known{};
        }
        source.width = std::min<unsigned>(source.width, instruction.width);
        return instruction.width >= 4 ? source : Known{};
    }

    // The immediate in each pointer_size.
    Known filled(const Instruction &instruction) {
        VectorConstant contents{};
        for (std::size_t at = 0; at < vector_words && at * pointer_size < instruction.width; ++at) {
            contents[at] = static_cast<std::uint64_t>(instruction.immediate);
        }
        return vector(contents);
    }

    Known vector(const VectorConstant &contents) {
        vectors_.push_back(contents);
        return {Known::Kind::vector, vectors_.size() - 1};
    }

    Known taken_address(const Instruction &instruction) {
        const auto address = effective_address(instruction.memory);
        if (!address) {
            return {};
        }
        note(Effect::Kind::takes_address, instruction, *address, pointer_size);
        return {Known::Kind::constant, *address};
    }

    [[nodiscard]] std::optional<std::uint64_t> effective_address(const Memory &memory) const {
        if (memory.index != no_register || memory.thread_local_segment) {
            return std::nullopt;
        }
        const auto displacement = static_cast<std::uint64_t>(memory.displacement);
        if (memory.base == no_register) {
            return displacement;
        }
        const Known base = held_by(memory.base);
        return base.is_constant() ? std::optional(base.value + displacement) : std::nullopt;
    }

    void note(Effect::Kind kind, const Instruction &instruction, std::uint64_t address,
              unsigned width, std::optional<std::uint64_t> value = std::nullopt) {
        effects_.push_back(
            {kind, static_cast<std::uint8_t>(width), instruction.address, address, value});
    }

    void load(const Instruction &instruction) {
        const auto address = effective_address(instruction.memory);
        if (!address) {
            note_indexing(instruction);
            set(instruction, {});
            return;
        }
        const Known first = loaded(instruction, instruction.destination, *address);
        const bool is_pair = instruction.second_source < register_count;
        const Known second =
            is_pair ? loaded(instruction, instruction.second_source, *address + instruction.width)
                    : Known{};
        set(instruction, first);
        if (is_pair) {
            states_.set(instruction.second_source, second);
        }
    }

    Known loaded(const Instruction &instruction, Register destination, std::uint64_t address) {
        const unsigned width = instruction.width;
        // An address from the global offset table, or a constant.
        if (const auto target = image_.pointer(address);
            target && width == pointer_size && !image_.is_writable(address)) {
            note(Effect::Kind::takes_address, instruction, *target, pointer_size);
            return {Known::Kind::constant, *target};
        }
        note(Effect::Kind::load, instruction, address, width);
        if (destination >= first_vector_register) {
            return loaded_vector(width, address);
        }
        if (const auto value = image_.constant(address, width)) {
            return {Known::Kind::constant, *value};
        }
        return {Known::Kind::loaded, address, 0, width};
    }

    Known loaded_vector(unsigned width, std::uint64_t address) {
        VectorConstant contents{};
        for (unsigned at = 0; at < width; at += pointer_size) {
            const auto value =
                image_.constant(address + at, std::min<std::uint64_t>(width - at, pointer_size));
            if (!value || at / pointer_size >= vector_words) {
                return {};
            }
            contents[at / pointer_size] = *value;
        }
        return vector(contents);
    }

    void note_indexing(const Instruction &instruction) {
        const Memory &memory = instruction.memory;
        const Known base = held_by(memory.base);
        if (memory.index != no_register && memory.scale == pointer_size &&
            memory.displacement == 0 && instruction.width == pointer_size &&
            base.kind == Known::Kind::loaded) {
            note(Effect::Kind::indexes, instruction, base.value, pointer_size);
        }
    }

    void touch(const Instruction &instruction) {
        if (const auto address = effective_address(instruction.memory)) {
            switch (instruction.operation) {
            case Operation::store:
                store(instruction, *address);
                break;
            case Operation::store_or:
                note(Effect::Kind::store_or, instruction, *address, instruction.width,
                     stored_value(instruction.source, instruction));
                break;
            case Operation::store_and:
                note(Effect::Kind::store_and, instruction, *address, instruction.width,
                     stored_value(instruction.source, instruction));
                break;
            case Operation::compare:
                note(Effect::Kind::compare, instruction, *address, instruction.width);
                break;
            default:
                note(Effect::Kind::update, instruction, *address, instruction.width);
            }
        }
        set(instruction, {});
    }

    [[nodiscard]] std::optional<std::uint64_t> stored_value(Register source,
                                                            const Instruction &instruction) const {
        const Known known =
            source == no_register ? constant(instruction.immediate) : held_by(source);
        return known.is_constant() ? std::optional(cut(known.value, instruction.width))
                                   : std::nullopt;
    }

    void store(const Instruction &instruction, std::uint64_t address) {
        store(instruction, instruction.source, address);
        if (instruction.second_source != no_register) {
            store(instruction, instruction.second_source, address + instruction.width);
        }
    }

    void store(const Instruction &instruction, Register source, std::uint64_t address) {
        const Known known = held_by(source);
        if (source != no_register && source >= first_vector_register) {
            store_vector(instruction, known, address);
        } else if (known.kind == Known::Kind::combined && known.value == address &&
                   known.width == instruction.width) {
            note(Effect::Kind::store_or, instruction, address, known.width, known.bits);
        } else {
            note(Effect::Kind::store, instruction, address, instruction.width,
                 stored_value(source, instruction));
        }
    }

    // Noted as stores of words.
    void store_vector(const Instruction &instruction, Known source, std::uint64_t address) {
        const bool known = source.kind == Known::Kind::vector;
        for (unsigned at = 0; at < instruction.width && at / pointer_size < vector_words;
             at += pointer_size) {
            const unsigned width = std::min<unsigned>(instruction.width - at, pointer_size);
            note(Effect::Kind::store, instruction, address + at, width,
                 known ? std::optional(cut(vectors_[source.value][at / pointer_size], width))
                       : std::nullopt);
        }
    }

    void flow(const Instruction &instruction) {
        switch (instruction.operation) {
        case Operation::call:
            note(Effect::Kind::call, instruction, instruction.target, 0);
            states_.forget(architecture_.call_clobbered());
            return;
        case Operation::branch:
            note(Effect::Kind::branch, instruction, instruction.target, 0);
            states_.leave_to(instruction.target);
            states_.forget(instruction.writes);
            return;
        case Operation::jump:
            note(Effect::Kind::jump, instruction, instruction.target, 0);
            states_.leave_to(instruction.target);
            states_.stop();
            return;
        case Operation::give_back:
            note_result(instruction);
            states_.stop();
            return;
        case Operation::trap:
            states_.stop();
            return;
        default:
            states_.forget(instruction.writes);
        }
    }

    void note_result(const Instruction &instruction) {
        const Known result = held_by(architecture_.convention().returned);
        if (result.kind == Known::Kind::loaded) {
            note(Effect::Kind::gives_back, instruction, result.value, 0);
        }
    }

    const Image &image_;
    const Architecture &architecture_;
    std::span<const std::span<const Instruction>> pieces_;
    RegisterStates states_;
    Known pushed_;
    std::vector<VectorConstant> vectors_;
    std::vector<Effect> effects_;
};

}  // namespace

std::vector<Effect> effects_of(std::span<const std::span<const Instruction>> pieces,
                               const Image &image, const Architecture &architecture) {
    return Follower(pieces, image, architecture).follow();
}

}  // namespace gdb_ompd::code
