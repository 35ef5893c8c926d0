// SPDX-License-Identifier: Apache-2.0
#include "recovery/invariants.hpp"

#include "recovery/layout_rules.hpp"
#include "recovery/meta_symbols.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace gdb_ompd::recovery {

namespace {

// Checks one kind of rule after the other; each violation is a line.
class Check {
public:
    explicit Check(const Constants &constants) : constants_(constants) {}

    std::vector<std::string> run() {
        check_names();
        if (violations_.empty()) {
            check_values();
            check_flags();
            check_distances();
            check_multiples();
            check_orders();
            check_records();
        }
        return std::move(violations_);
    }

private:
    // Without all of them no other rule can be asked.
    void check_names() {
        for (const std::string_view name : stores_in_ompd_init) {
            if (!constants_.contains(std::string(name))) {
                violations_.push_back(std::string(name) + " is missing");
            }
        }
        if (constants_.size() > meta_symbol_count) {
            violations_.push_back(std::to_string(constants_.size()) + " constants instead of " +
                                  std::to_string(meta_symbol_count));
        }
    }

    void check_values() {
        for (const auto &[value, names] : rules::fixed_values) {
            for (const std::string_view name : names) {
                expect(name, value);
            }
        }
    }

    void check_flags() {
        for (const auto &[name, bit] : rules::flags) {
            expect(name, std::uint64_t{1} << bit);
        }
    }

    void check_distances() {
        for (const auto &[first, distance, second] : rules::distances) {
            if (of(second) - of(first) != distance) {
                complain(shown(second) + ", not " + std::to_string(distance) + " more than " +
                         shown(first));
            }
        }
    }

    void check_multiples() {
        for (const auto &[name, unit] : rules::multiples) {
            if (of(name) == 0 || of(name) % unit != 0) {
                complain(shown(name) + ", not a multiple of " + std::to_string(unit));
            }
        }
    }

    void check_orders() {
        for (const auto &[record, fields] : rules::declared_orders) {
            std::uint64_t end = 0;
            for (const std::string_view field : fields) {
                const std::string access = access_name(record, field);
                if (of(access) < end) {
                    complain(shown(access) + ", inside or before the field declared before it");
                }
                end = end_of(record, field);
                if (end > rules::largest_record) {
                    complain(shown(access) + ", beyond any record");
                }
            }
        }
    }

    void check_records() {
        for (const auto &[record, size] : rules::record_sizes) {
            if (of(size) > rules::largest_record) {
                complain(shown(size) + ", larger than any record");
            }
            const auto *order =
                std::ranges::find(rules::declared_orders, record, &rules::DeclaredOrder::record);
            // The declared order is kept, or complained about: the last field ends last.
            if (end_of(record, order->fields.back()) > of(size)) {
                complain(shown(access_name(record, order->fields.back())) + ", outside of " +
                         std::string(record) + ": " + shown(size));
            }
        }
    }

    void expect(std::string_view name, std::uint64_t value) {
        if (of(name) != value) {
            complain(shown(name) + " instead of " + std::to_string(value));
        }
    }

    void complain(std::string violation) { violations_.push_back(std::move(violation)); }

    static std::string access_name(std::string_view record, std::string_view field) {
        return "ompd_access__" + std::string(record) + "__" + std::string(field);
    }

    // Beyond any record where the sum would overflow.
    [[nodiscard]] std::uint64_t end_of(std::string_view record, std::string_view field) const {
        const std::uint64_t offset = of(access_name(record, field));
        const std::uint64_t size =
            of("ompd_sizeof__" + std::string(record) + "__" + std::string(field));
        const std::uint64_t bound = rules::largest_record;
        return offset > bound || size > bound ? 2 * bound : offset + size;
    }

    [[nodiscard]] std::uint64_t of(std::string_view name) const {
        return constants_.at(std::string(name));
    }

    [[nodiscard]] std::string shown(std::string_view name) const {
        return std::string(name) + " is " + std::to_string(of(name));
    }

    const Constants &constants_;
    std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> violated_invariants(const Constants &constants) {
    return Check(constants).run();
}

}  // namespace gdb_ompd::recovery
