// SPDX-License-Identifier: Apache-2.0
// A damaged libomp is refused, or its table is the undamaged file's: nothing is wrong.
//
// 1000 damages, the same in every run; the environment's GDB_OMPD_DAMAGES asks for
// another number. Most of them hit where it matters: the headers, ompd_init().
#include "code/architecture.hpp"
#include "code/code_index.hpp"
#include "known_layouts.hpp"
#include "recovery/invariants.hpp"
#include "recovery/ompd_init.hpp"
#include "recovery/recover.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <unistd.h>

namespace gdb_ompd::recovery {

namespace {

using Bytes = std::vector<char>;
using Random = std::mt19937;
using Damage = void (*)(Bytes &, Random &, const code::Range &ompd_init);

std::size_t below(Random &random, std::size_t limit) {
    return static_cast<std::size_t>(random()) % limit;
}

void flip(Bytes &bytes, Random &random, std::size_t from, std::size_t to) {
    const std::size_t at = from + below(random, std::min(to, bytes.size()) - from);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
}

void flip_anywhere(Bytes &bytes, Random &random, const code::Range & /*unused*/) {
    flip(bytes, random, 0, bytes.size());
}

void flip_in_headers(Bytes &bytes, Random &random, const code::Range & /*unused*/) {
    flip(bytes, random, 0, 0x1000);
}

// The section headers end the file.
void flip_at_end(Bytes &bytes, Random &random, const code::Range & /*unused*/) {
    flip(bytes, random, bytes.size() - 0x800, bytes.size());
}

void flip_in_ompd_init(Bytes &bytes, Random &random, const code::Range &ompd_init) {
    flip(bytes, random, ompd_init.start, ompd_init.end);
}

void flip_many(Bytes &bytes, Random &random, const code::Range & /*unused*/) {
    for (int i = 0; i < 1000; ++i) {
        flip(bytes, random, 0, bytes.size());
    }
}

void truncate(Bytes &bytes, Random &random, const code::Range & /*unused*/) {
    bytes.resize(below(random, bytes.size()));
}

void clear_page(Bytes &bytes, Random &random, const code::Range & /*unused*/) {
    const std::size_t page = 0x1000;
    const std::size_t at = below(random, bytes.size() / page) * page;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), page, '\0');
}

void scramble(Bytes &bytes, Random &random, const code::Range & /*unused*/) {
    const std::size_t at = below(random, bytes.size() - 64);
    std::generate_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 64,
                    [&] { return static_cast<char>(random()); });
}

constexpr std::size_t required_count = 172;

struct Kind {
    const char *name;
    Damage damage;
    int share;  // of 1000
    Random::result_type seed = 20140;
};

// The dearest is in two parts, which are run beside each other.
const std::vector<Kind> kinds = {
    {"FlipInOmpdInit", flip_in_ompd_init, 275},
    {"FlipInOmpdInitToo", flip_in_ompd_init, 275, 20141},
    {"FlipAnywhere", flip_anywhere, 150},
    {"FlipInHeaders", flip_in_headers, 100},
    {"FlipAtEnd", flip_at_end, 50},
    {"FlipMany", flip_many, 30},
    {"Truncate", truncate, 50},
    {"ClearPage", clear_page, 40},
    {"Scramble", scramble, 30},
};

std::ostream &operator<<(std::ostream &out, const Kind &kind) { return out << kind.name; }

using Table = std::map<std::string, std::string>;

Table table(const Recovery &recovery) {
    Table found;
    for (const Symbol &symbol : recovery.symbols) {
        found[symbol.name] = std::to_string(symbol.value) + ", " + std::to_string(symbol.size) +
                             " bytes, " + text(symbol.kind);
    }
    return found;
}

// What ANSWER says that TRUTH does not; it may leave out what is not required.
std::vector<std::string> wrong(const Table &answer, const Table &truth) {
    std::vector<std::string> found;
    for (const auto &[name, place] : answer) {
        const auto real = truth.find(name);
        if (real == truth.end() || real->second != place) {
            found.push_back(name + " at " + place);
        }
    }
    return found;
}

class RecoveryOfDamaged : public ::testing::TestWithParam<Kind> {
protected:
    RecoveryOfDamaged() {
        std::ifstream in(LIBOMP, std::ios::binary);
        original_.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        find_ompd_init();
    }

    ~RecoveryOfDamaged() override { std::filesystem::remove(path_); }

    // Where ompd_init() is in the file.
    void find_ompd_init() {
        const ElfFile file(LIBOMP);
        const auto architecture = code::make_architecture(file.header().e_machine);
        const code::Image image(file, *architecture);
        const code::CodeIndex code(image, *architecture);
        Findings findings;
        const code::Range memory =
            code.range(find_layout_variables(code, findings).value().function);
        GElf_Phdr segment;
        for (int i = 0; gelf_getphdr(file.elf(), i, &segment) != nullptr; ++i) {
            if (segment.p_type == PT_LOAD && segment.p_vaddr <= memory.start &&
                memory.end <= segment.p_vaddr + segment.p_filesz) {
                ompd_init_.start = memory.start - segment.p_vaddr + segment.p_offset;
                ompd_init_.end = ompd_init_.start + (memory.end - memory.start);
                return;
            }
        }
    }

    // An error that says so is a refusal, too; any other exception ends the test.
    Recovery recover_from(const Bytes &bytes) {
        std::ofstream(path_, std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        try {
            return recover(ElfFile(path_));
        } catch (const std::invalid_argument &) {
            return {};
        }
    }

    Bytes original_;
    code::Range ompd_init_;
    std::string path_ = ::testing::TempDir() + "damaged-" + std::to_string(::getpid());
};

int count_of(const Kind &kind) {
    const char *asked = std::getenv("GDB_OMPD_DAMAGES");
    return std::max((asked != nullptr ? std::atoi(asked) : 1000) * kind.share / 1000, 1);
}

}  // namespace

// A flipped bit of a constant in ompd_init()'s code cannot be told from the file:
// the addresses are right, and the answer's constants are what this code stores.
// Such an answer is counted apart, and is no known layout, so that it is used only
// where the process's own memory agrees.
TEST_P(RecoveryOfDamaged, IsRefusedOrTheSame) {
    const Recovery undamaged = recover_from(original_);
    ASSERT_TRUE(undamaged.reasons.empty());
    const Table truth = table(undamaged);
    Random random(GetParam().seed);  // the same damages in every run
    int refused = 0;
    int same = 0;
    int other_constants = 0;
    int against_the_rules = 0;
    for (int i = 0; i < count_of(GetParam()); ++i) {
        Bytes bytes = original_;
        GetParam().damage(bytes, random, ompd_init_);
        const Recovery answer = recover_from(bytes);
        if (answer.symbols.empty()) {
            ++refused;
            continue;
        }
        EXPECT_EQ(wrong(table(answer), truth), std::vector<std::string>()) << "damage " << i;
        EXPECT_GE(answer.symbols.size(), required_count) << "damage " << i;
        if (answer.constants == undamaged.constants) {
            ++same;
            continue;
        }
        ++other_constants;
        against_the_rules += violated_invariants(answer.constants).empty() ? 0 : 1;
        for (std::size_t release = 0; release < releases.size(); ++release) {
            EXPECT_NE(answer.constants, layout_of(release)) << "damage " << i;
        }
    }
    std::cout << GetParam() << ": " << refused << " refused, " << same << " the same, "
              << other_constants << " with other constants, " << against_the_rules
              << " of them against the rules\n";
}

INSTANTIATE_TEST_SUITE_P(, RecoveryOfDamaged, ::testing::ValuesIn(kinds),
                         [](const auto &info) { return std::string(info.param.name); });

}  // namespace gdb_ompd::recovery
