// SPDX-License-Identifier: Apache-2.0
#include "recovery/recover.hpp"

#include "base/target.hpp"
#include "recovery/event_symbols.hpp"
#include "recovery/gnu_events.hpp"
#include "recovery/invariants.hpp"
#include "recovery/lock_table.hpp"
#include "recovery/ompd_init.hpp"
#include "recovery/settings.hpp"

#include <algorithm>

namespace gdb_ompd::recovery {

namespace {

constexpr const char *llvm_entry = "__kmpc_fork_call";

// Beside the layout variables, what libompd or a tool cannot do without.
const std::vector<std::string> required = {
    "ompd_dll_locations",
    "ompd_dll_locations_valid",
    "ompd_state",
    "ompd_env_block",
    "ompd_env_block_size",
    "ompd_bp_parallel_begin",
    "ompd_bp_parallel_end",
    "ompd_bp_task_begin",
    "ompd_bp_task_end",
    "ompd_bp_thread_begin",
    "ompd_bp_thread_end",
    "__kmp_stksize",
    "__kmp_omp_cancellation",
    "__kmp_max_task_priority",
    "__kmp_display_affinity",
    "__kmp_affinity_format",
    "__kmp_tool",
    "__kmp_tool_libraries",
    "__kmp_tool_verbose_init",
    "__kmp_nested_nth",
    "__kmp_nested_proc_bind",
    "__kmp_max_nth",
    "__kmp_avail_proc",
    "__kmp_nth",
    "__kmp_threads",
    "__kmp_openmp_version",
    "__kmp_gtid",
};

void set_sizes(const code::CodeIndex &code, const OmpdInit &init, Findings &findings) {
    for (auto &[name, symbol] : findings.symbols()) {
        if (symbol.kind == SymbolKind::function) {
            const auto function = code.starting_at(symbol.value);
            symbol.size = function ? code.range(*function).end - symbol.value : 0;
            continue;
        }
        const auto size = init.constants.find("ompd_sizeof__" + name);
        const bool is_int =
            name == "__kmp_openmp_version" || name == "__kmp_hidden_helper_threads_num";
        symbol.size = size != init.constants.end() ? size->second
                      : name == lock_table         ? lock_table_size
                      : is_int                     ? 4
                                                   : pointer_size;
    }
}

void check_places(const code::Image &image, Findings &findings) {
    std::vector<const Symbol *> data;
    for (const auto &[name, symbol] : findings.symbols()) {
        if (symbol.kind != SymbolKind::data || name == "__kmp_openmp_version") {
            continue;
        }
        data.push_back(&symbol);
        // Eight bytes of single bits, kept in two ints.
        const std::uint64_t alignment =
            name == "ompt_enabled"
                ? 4
                : std::min(std::max<std::uint64_t>(symbol.size, 1), pointer_size);
        findings.require(symbol.value % alignment == 0, name + " is not aligned");
        findings.require(
            image.is_writable(symbol.value) &&
                image.is_writable(symbol.value + std::max<std::uint64_t>(symbol.size, 1) - 1),
            name + " is not in writable memory");
    }
    std::sort(data.begin(), data.end(),
              [](const Symbol *a, const Symbol *b) { return a->value < b->value; });
    for (std::size_t i = 1; i < data.size(); ++i) {
        findings.require(data[i - 1]->value + data[i - 1]->size <= data[i]->value,
                         data[i - 1]->name + " and " + data[i]->name + " overlap");
    }
}

void check_complete(Findings &findings) {
    for (const std::string &name : required) {
        findings.require(findings.address(name).has_value(), name + " was not found");
    }
}

void search(const code::Image &image, const code::Architecture &architecture, Findings &findings,
            Recovery &recovery) {
    if (!has_ompd_support(image)) {
        findings.refuse("the library was built without OMPD support");
        return;
    }
    if (image.functions().empty()) {
        findings.refuse("the file does not list its functions (.eh_frame_hdr)");
        return;
    }
    const code::CodeIndex code(image, architecture);
    const auto init = find_layout_variables(code, findings);
    if (!init) {
        return;
    }
    for (const std::string &violation : violated_invariants(init->constants)) {
        findings.refuse("the layout is not sound: " + violation);
    }
    find_event_symbols(code, *init, findings);
    find_settings(code, findings);
    find_returned_variables(code, findings);
    find_thread_table(code, findings);
    find_lock_table(code, findings);
    find_version(image, findings);
    find_thread_number(image, findings);
    set_sizes(code, *init, findings);
    check_places(image, findings);
    check_complete(findings);
    recovery.constants = init->constants;
}

// LLVM's runtime exports this name of GCC's, too.
bool is_gnu(const code::Image &image) {
    return image.exported(gnu_entry).has_value() && !image.exported(llvm_entry);
}

// What was not found is left out, and all is refused if nothing was.
void name_gnu_events(const code::Image &image, const code::Architecture &architecture,
                     Recovery &recovery) {
    GnuEvents found = gnu_events(image, architecture);
    if (found.symbols.empty()) {
        recovery.reasons = std::move(found.reasons);
    } else {
        recovery.symbols = std::move(found.symbols);
        recovery.constants = std::move(found.places);
    }
}

}  // namespace

Recovery recover(const ElfFile &file) {
    Recovery recovery;
    const auto architecture = code::make_architecture(file.header().e_machine);
    if (!architecture) {
        recovery.reasons.emplace_back("the processor's instructions are not understood");
        return recovery;
    }
    recovery.architecture = architecture->name();
    const code::Image image(file, *architecture);
    if (is_gnu(image)) {
        name_gnu_events(image, *architecture, recovery);
        return recovery;
    }
    Findings findings;
    search(image, *architecture, findings, recovery);
    recovery.reasons = findings.reasons();
    if (!recovery.reasons.empty()) {
        recovery.constants.clear();
        return recovery;
    }
    for (const auto &[name, symbol] : findings.symbols()) {
        recovery.symbols.push_back(symbol);
    }
    return recovery;
}

}  // namespace gdb_ompd::recovery
