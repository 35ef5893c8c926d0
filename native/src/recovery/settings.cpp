// SPDX-License-Identifier: Apache-2.0
#include "recovery/settings.hpp"

#include "base/target.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace gdb_ompd::recovery {

namespace {

struct Setting {
    std::string variable;
    std::vector<std::string> names;  // every one that sets it
    bool is_list = false;            // a struct of a pointer and two counts
    bool required = true;
};

const std::vector<Setting> &settings() {
    static const std::vector<Setting> known = {
        {"__kmp_stksize", {"KMP_STACKSIZE", "OMP_STACKSIZE"}},
        {"__kmp_omp_cancellation", {"OMP_CANCELLATION"}},
        {"__kmp_max_task_priority", {"OMP_MAX_TASK_PRIORITY"}},
        {"__kmp_display_affinity", {"OMP_DISPLAY_AFFINITY"}},
        {"__kmp_affinity_format", {"OMP_AFFINITY_FORMAT"}},
        {"__kmp_tool", {"OMP_TOOL"}},
        {"__kmp_tool_libraries", {"OMP_TOOL_LIBRARIES"}},
        {"__kmp_tool_verbose_init", {"OMP_TOOL_VERBOSE_INIT"}},
        {"__kmp_nested_nth", {"OMP_NUM_THREADS"}, true},
        {"__kmp_nested_proc_bind", {"OMP_PROC_BIND"}, true},
        {"__kmp_max_nth", {"KMP_DEVICE_THREAD_LIMIT"}},
        {"__kmp_hidden_helper_threads_num", {"LIBOMP_NUM_HIDDEN_HELPER_THREADS"}, false, false},
    };
    return known;
}

using Variables = std::set<std::uint64_t>;

Variables common(const Variables &a, const Variables &b) {
    Variables both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    return both;
}

// An entry of the table: a name, a function that parses its value and one that prints it.
struct Entry {
    code::FunctionNumber parse;
    code::FunctionNumber print;
};

class SettingsTable {
public:
    SettingsTable(const code::CodeIndex &code, Findings &findings)
        : code_(code), findings_(findings) {
        for (const Setting &setting : settings()) {
            for (const std::string &name : setting.names) {
                entries_[name] = entries_of(name);
            }
        }
        for (const auto &[name, entries] : entries_) {
            for (const Entry &entry : entries) {
                printers_.insert(entry.print);
            }
        }
        for (const code::FunctionNumber printer : printers_) {
            for (const std::uint64_t variable : variables_of(printer)) {
                ++printed_by_[variable];
            }
        }
    }

    void find() {
        for (const Setting &setting : settings()) {
            find(setting);
        }
    }

private:
    void find(const Setting &setting) {
        std::optional<Variables> candidates;
        for (const std::string &name : setting.names) {
            const auto &entries = entries_.at(name);
            if (entries.size() != 1) {
                if (setting.required) {
                    findings_.refuse(std::to_string(entries.size()) +
                                     " entries of the settings table are called " + name);
                }
                return;
            }
            const Variables own = variable_of(entries.front());
            candidates = candidates ? common(*candidates, own) : own;
        }
        if (setting.is_list) {
            candidates = starts_of_list(*candidates, setting);
        }
        if (setting.required || candidates->size() == 1) {
            findings_.found_only(setting.variable, *candidates, SymbolKind::data,
                                 "the settings table");
        }
    }

    [[nodiscard]] std::vector<Entry> entries_of(const std::string &name) const {
        std::vector<Entry> found;
        const code::Image &image = code_.image();
        for (const std::uint64_t text :
             image.find(std::string_view(name.c_str(), name.size() + 1))) {
            for (const std::uint64_t entry : image.pointers_to(text)) {
                const auto parse = image.pointer(entry + pointer_size);
                const auto print = image.pointer(entry + 2 * pointer_size);
                const auto parser = parse ? code_.starting_at(*parse) : std::nullopt;
                const auto printer = print ? code_.starting_at(*print) : std::nullopt;
                if (parser && printer) {
                    found.push_back({*parser, *printer});
                }
            }
        }
        return found;
    }

    // What both functions use; of several, those that hardly any other setting prints.
    [[nodiscard]] Variables variable_of(const Entry &entry) const {
        constexpr int most_printers = 2;
        Variables both = common(variables_of(entry.print), variables_of(entry.parse));
        if (both.size() <= 1) {
            return both;
        }
        Variables own;
        for (const std::uint64_t variable : both) {
            if (printed_by_.at(variable) <= most_printers) {
                own.insert(variable);
            }
        }
        return own;
    }

    [[nodiscard]] Variables variables_of(code::FunctionNumber function) const {
        Variables variables;
        for (const code::Effect &effect : code_.whole_effects(function)) {
            if (effect.concerns_data() && code_.image().is_writable(effect.address)) {
                variables.insert(effect.address);
            }
        }
        return variables;
    }

    // The functions use the members {pointer, int, int}, at 0, 8 and 12, in any mix.
    [[nodiscard]] Variables starts_of_list(const Variables &members, const Setting &setting) const {
        constexpr std::uint64_t last_member = 12;
        Variables used;
        Variables taken;
        for (const Entry &entry : entries_.at(setting.names.front())) {
            for (const code::FunctionNumber function : {entry.parse, entry.print}) {
                for (const code::Effect &effect : code_.whole_effects(function)) {
                    const bool near =
                        std::any_of(members.begin(), members.end(), [&](std::uint64_t member) {
                            return effect.address + last_member >= member &&
                                   effect.address <= member + last_member;
                        });
                    if (near && effect.concerns_data()) {
                        used.insert(effect.address);
                        if (effect.kind == code::Effect::Kind::takes_address) {
                            taken.insert(effect.address);
                        }
                    }
                }
            }
        }
        Variables starts;
        for (const std::uint64_t member : members) {
            for (const std::uint64_t offset : {std::uint64_t{0}, pointer_size, last_member}) {
                const std::uint64_t start = member - offset;
                const Variables all = {start, start + pointer_size, start + last_member};
                if (start % pointer_size == 0 && common(used, all) == used) {
                    starts.insert(start);
                }
            }
        }
        Variables taken_starts = common(taken, starts);
        if (taken_starts.size() == 1) {
            return taken_starts;
        }
        Variables used_starts = common(used, starts);
        return used.size() > 1 && !used_starts.empty() ? used_starts : starts;
    }

    const code::CodeIndex &code_;
    Findings &findings_;
    std::map<std::string, std::vector<Entry>> entries_;
    std::set<code::FunctionNumber> printers_;
    std::map<std::uint64_t, int> printed_by_;
};

}  // namespace

void find_settings(const code::CodeIndex &code, Findings &findings) {
    SettingsTable(code, findings).find();
}

}  // namespace gdb_ompd::recovery
