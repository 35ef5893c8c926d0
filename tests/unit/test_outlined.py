# SPDX-License-Identifier: Apache-2.0
"""Names of the functions that compilers make of constructs, as debuggers write them."""

from __future__ import annotations

from typing import Optional

from typing import Optional

import pytest
from gdb_ompd.host.outlined import (
    Made,
    function_of_target,
    is_private_map,
    is_wrapper_of,
    outlined,
    without_parameters,
    without_template_arguments,
)

MADE = {
    ".omp_outlined.": (Made.BODY, ""),
    ".omp_outlined..15(void) const": (Made.BODY, ""),
    ".omp_outlined._debug__": (Made.DEBUG, ""),
    ".omp_outlined._debug__(int &) const": (Made.DEBUG, ""),
    ".omp_outlined._debug__.1(double &, (anonymous namespace)::Sum &) const": (Made.DEBUG, ""),
    ".omp_task_entry.": (Made.TASK, ""),
    ".omp_task_entry..8": (Made.TASK, ""),
    ".omp.reduction.reduction_func": (Made.HELPER, ""),
    ".omp_combiner.": (Made.HELPER, ""),
    ".omp_task_privates_map.": (Made.HELPER, ""),
    ".red_init..3": (Made.HELPER, ""),
    "main.omp_outlined": (Made.BODY, "main"),
    "_Z4workv.omp_outlined_debug__.3(void) const": (Made.DEBUG, "_Z4workv"),
    "main.omp_outlined_debug__.omp_outlined": (Made.BODY, "main"),
    "main.omp_outlined.omp.reduction.reduction_func": (Made.HELPER, "main"),
    "work(int) [clone .omp_outlined]": (Made.BODY, "work"),
    "main._omp_fn.0": (Made.GCC, "main"),
    "_Z6sparsePi._omp_fn.0(void)": (Made.GCC, "_Z6sparsePi"),
    "main._omp_fn.1.constprop.0.cold": (Made.GCC, "main"),
    "function(int) [clone ._omp_fn.0]": (Made.GCC, "function"),
    "function(int) [clone ._omp_fn.0] [clone .part.0]": (Made.GCC, "function"),
    "A<B>::operator()(int) const [clone ._omp_fn.0]": (Made.GCC, "A<B>::operator()"),
    "main._omp_cpyfn.2": (Made.HELPER, "main"),
    "__heat_MOD_relax._omp_fn.0": (Made.GCC, "__heat_MOD_relax"),
    "main_..omp_par.1": (Made.BODY, "main_."),
}
USERS = (
    None,
    "",
    "main",
    "omp_task_entry<1>(int&)",
    "omp_task_entry<1>",
    "omp_outlined",
    "my_omp_fn",
    "do_omp_task_entry(char const*, ...)",
    "apply<void (*)(int, ...)>(int) const",
    "work.constprop.0",
    "inner.1234",
    "compute.part.0",
)


@pytest.mark.parametrize("name", MADE)
def test_what_a_function_was_made_for(name: str) -> None:
    found = outlined(name)
    assert found is not None
    assert (found.made, found.function) == MADE[name]


@pytest.mark.parametrize("name", USERS)
def test_users_functions_are_none(name: Optional[str]) -> None:
    assert outlined(name) is None


@pytest.mark.parametrize(
    ("caller", "callee", "wraps"),
    [
        (".omp_outlined.(void) const", ".omp_outlined._debug__(int &) const", True),
        ("main.omp_outlined", "main.omp_outlined_debug__", True),
        (".omp_task_entry..8", ".omp_outlined..7", True),
        (".omp_task_entry.", "bmod", False),
        (".omp_outlined._debug__(int &) const", ".omp_outlined..2(void) const", False),
        ("omp_task_entry<1>", "helper", False),
        (".omp_outlined.", "omp_task_entry<1>", False),
        ("main._omp_fn.0", "main._omp_fn.1", False),
        ("main", ".omp_outlined._debug__", False),
    ],
)
def test_who_is_there_only_to_call(caller: str, callee: str, wraps: bool) -> None:
    assert is_wrapper_of(caller, callee) == wraps


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("__omp_offloading_fe00_a84022__ZN1S4workEv_l6_debug__", "_ZN1S4workEv"),
        ("__omp_offloading_fe00_a84022_main_l10", "main"),
        ("__omp_offloading_10302_1f_main_l10(int &, double *)", "main"),
        ("__omp_offloading_main", None),
        ("main", None),
        (None, None),
    ],
)
def test_the_function_of_a_target_region(name: Optional[str], function: Optional[str]) -> None:
    assert function_of_target(name) == function
    assert is_wrapper_of(name, f"{name}_debug__") == (function is not None and name[-1] != ")")


def test_the_map_of_private_variables() -> None:
    assert is_private_map(".omp_task_privates_map.")
    assert not is_private_map(".omp_task_entry.")
    assert not is_private_map("omp_task_privates_map<int>")


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("main", "main"),
        ("Grid::relax(int) const", "Grid::relax"),
        ("Grid::relax(int) const &", "Grid::relax"),
        ("Grid::operator()(int)", "Grid::operator()"),
        ("main()::{lambda(int)#1}::operator()(int) const", "main()::{lambda(int)#1}::operator()"),
        ("operator()", "operator()"),
        ("(anonymous namespace)::reached(char const*, int)", "(anonymous namespace)::reached"),
        ("apply<void (*)(int)>(int)", "apply<void (*)(int)>"),
    ],
)
def test_names_without_parameters(name: str, short: str) -> None:
    assert without_parameters(name) == short


def test_names_without_template_arguments() -> None:
    assert without_template_arguments("scale<std::pair<int, int> >") == "scale"
    assert without_template_arguments("A<int>::b") == "A<int>::b"
    assert without_template_arguments("operator>") == "operator>"
