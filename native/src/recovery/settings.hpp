// SPDX-License-Identifier: Apache-2.0
// The runtime's global control variables, from the table of environment
// variables (__kmp_stg_table in kmp_settings.cpp), from the functions that
// return them, and from how they are used.
#pragma once

#include "code/code_index.hpp"
#include "recovery/findings.hpp"

namespace gdb_ompd::recovery {

void find_settings(const code::CodeIndex &code, Findings &findings);
void find_returned_variables(const code::CodeIndex &code, Findings &findings);
void find_thread_table(const code::CodeIndex &code, Findings &findings);
void find_version(const code::Image &image, Findings &findings);
void find_thread_number(const code::Image &image, Findings &findings);

}  // namespace gdb_ompd::recovery
