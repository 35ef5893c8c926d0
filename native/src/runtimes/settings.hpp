// SPDX-License-Identifier: Apache-2.0
// The values of OpenMP's environment variables, by the specification's grammar (OpenMP 5.0, chapter
// 6): which of them every runtime rejects.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gdb_ompd {

// A list of positive numbers with commas in between; none for any other text.
std::optional<std::vector<std::int64_t>> numbers_of(std::string_view text);

// Whether a variable has a VALUE that it cannot have. False of a variable that is not known here.
bool is_rejected(std::string_view variable, std::string_view value);
// Whether VALUE, of a variable that has a truth value, is a word for true.
bool is_true(std::string_view value);
// Whether some runtimes alone take it.
bool is_doubtful(std::string_view variable, std::string_view value);
// The ICV that a variable sets; empty where it sets none that can be listed.
std::string_view icv_of(std::string_view variable);
// How many threads all teams of a process may have together by a VARIABLE that sets no ICV; none
// for another one.
std::optional<std::int64_t> most_threads(std::string_view variable, std::string_view value);

// What of a program's environment is about the CPUs of its threads.
enum class AboutCpus : std::uint8_t { nothing, binds, keeps_spinning, waiting };
// KEEPS_SPINNING is a setting by which threads that wait go on to use a CPU, WAITING another one of
// how they wait.
AboutCpus about_cpus(std::string_view variable, std::string_view value);

}  // namespace gdb_ompd
