// SPDX-License-Identifier: Apache-2.0
// The rules of a layout hold for every real one and for hardly any other.
#include "known_layouts.hpp"
#include "recovery/invariants.hpp"
#include "recovery/meta_symbols.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace gdb_ompd::recovery {

namespace {

class KnownLayout : public ::testing::TestWithParam<std::size_t> {
protected:
    Constants constants = layout_of(GetParam());
};

// NAMES of one kind, without their prefix.
std::vector<std::string> names_with(const std::string &prefix) {
    std::vector<std::string> found;
    for (const std::string_view name : stores_in_ompd_init) {
        if (name.starts_with(prefix)) {
            found.emplace_back(name.substr(prefix.size()));
        }
    }
    return found;
}

using Violations = std::vector<std::string>;

TEST(MetaSymbols, AreTheSameInBothOrders) {
    const std::set<std::string_view> stored(stores_in_ompd_init.begin(), stores_in_ompd_init.end());
    const std::set<std::string_view> defined(definitions_in_memory.begin(),
                                             definitions_in_memory.end());
    EXPECT_EQ(stored.size(), meta_symbol_count);
    EXPECT_EQ(stored, defined);
}

TEST(MetaSymbols, HaveTheKindsInTheRightOrder) {
    const auto kinds_of = [](const MetaSymbols &symbols) {
        std::string kinds;
        for (const std::string_view name : symbols) {
            const bool member = name.starts_with("ompd_sizeof__") &&
                                newest_layout.contains(
                                    "ompd_access__" +
                                    std::string(name.substr(std::string("ompd_sizeof__").size())));
            kinds += member ? 'm' : name.at(std::string("ompd_").size());
        }
        return kinds;
    };
    EXPECT_EQ(kinds_of(stores_in_ompd_init), std::string(54, 'a') + std::string(11, 'b') +
                                                 std::string(54, 'm') + std::string(26, 's'));
    EXPECT_EQ(kinds_of(definitions_in_memory), std::string(54, 'a') + std::string(54, 'm') +
                                                   std::string(11, 'b') + std::string(26, 's'));
}

TEST_P(KnownLayout, BreaksNoRule) { EXPECT_EQ(violated_invariants(constants), Violations{}); }

TEST_P(KnownLayout, AnyNumberFarOffBreaksOne) {
    for (const auto &[name, value] : constants) {
        for (const std::uint64_t wrong :
             {std::uint64_t{3} << 20, std::uint64_t{1} << 63,
              std::numeric_limits<std::uint64_t>::max(), value + (std::uint64_t{1} << 32)}) {
            Constants damaged = constants;
            damaged[name] = wrong;
            EXPECT_NE(violated_invariants(damaged), Violations{}) << name << " = " << wrong;
        }
    }
}

TEST_P(KnownLayout, AMissingNameIsNamed) {
    for (const auto &[name, value] : constants) {
        Constants partial = constants;
        partial.erase(name);
        EXPECT_EQ(violated_invariants(partial), Violations{name + " is missing"});
    }
    constants["ompd_sizeof__surplus"] = 8;
    EXPECT_EQ(violated_invariants(constants), Violations{"146 constants instead of 145"});
}

// What a header with its entries in another order would do.
TEST_P(KnownLayout, TwoFieldsExchangedBreakOne) {
    const std::vector<std::string> fields = names_with("ompd_access__");
    for (std::size_t i = 0; i < fields.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            Constants swapped = constants;
            for (const char *prefix : {"ompd_access__", "ompd_sizeof__"}) {
                std::swap(swapped[prefix + fields[i]], swapped[prefix + fields[j]]);
            }
            EXPECT_TRUE(swapped == constants || !violated_invariants(swapped).empty())
                << fields[i] << " for " << fields[j];
        }
    }
}

TEST_P(KnownLayout, TwoFlagsOrTwoSizesExchangedBreakOne) {
    for (const char *prefix : {"ompd_bitfield__", "ompd_sizeof__"}) {
        const std::vector<std::string> names = names_with(prefix);
        for (std::size_t i = 0; i < names.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                Constants swapped = constants;
                std::swap(swapped[prefix + names[i]], swapped[prefix + names[j]]);
                EXPECT_TRUE(swapped == constants || !violated_invariants(swapped).empty())
                    << prefix << names[i] << " for " << names[j];
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Releases, KnownLayout, ::testing::Range(std::size_t{0}, releases.size()),
                         [](const auto &info) { return "Layout" + std::to_string(info.index); });

TEST(Invariants, AllZeroIsNoLayout) {
    Constants constants = newest_layout;
    for (auto &[name, value] : constants) {
        value = 0;
    }
    EXPECT_GT(violated_invariants(constants).size(), meta_symbol_count / 2);
}

TEST(Invariants, SayInOneLineWhatIsWrong) {
    Constants constants = newest_layout;
    constants["ompd_sizeof__int"] = 8;
    EXPECT_EQ(violated_invariants(constants), Violations{"ompd_sizeof__int is 8 instead of 4"});
}

}  // namespace

}  // namespace gdb_ompd::recovery
