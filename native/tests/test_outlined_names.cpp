// SPDX-License-Identifier: Apache-2.0
// Names of the functions that compilers make of constructs, as debuggers write them.
#include "code/outlined_names.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace gdb_ompd::code {

namespace {

TEST(OutlinedNames, TellWhatAFunctionWasMadeFor) {
    const std::vector<std::tuple<std::string_view, Made, std::string_view>> names = {
        {".omp_outlined.", Made::body, ""},
        {".omp_outlined..15(void) const", Made::body, ""},
        {".omp_outlined._debug__", Made::debug, ""},
        {".omp_outlined._debug__(int &) const", Made::debug, ""},
        {".omp_outlined._debug__.1(double &, (anonymous namespace)::Sum &) const", Made::debug, ""},
        {".omp_task_entry.", Made::task, ""},
        {".omp_task_entry..8", Made::task, ""},
        {".omp.reduction.reduction_func", Made::helper, ""},
        {".omp_combiner.", Made::helper, ""},
        {".omp_task_privates_map.", Made::helper, ""},
        {".red_init..3", Made::helper, ""},
        {"main.omp_outlined", Made::body, "main"},
        {"_Z4workv.omp_outlined_debug__.3(void) const", Made::debug, "_Z4workv"},
        {"main.omp_outlined_debug__.omp_outlined", Made::body, "main"},
        {"main.omp_outlined.omp.reduction.reduction_func", Made::helper, "main"},
        {"work(int) [clone .omp_outlined]", Made::body, "work"},
        {"main._omp_fn.0", Made::gcc, "main"},
        {"_Z6sparsePi._omp_fn.0(void)", Made::gcc, "_Z6sparsePi"},
        {"Grid::_ZN4Grid5relaxEv._omp_fn.0(void)", Made::gcc, "_ZN4Grid5relaxEv"},
        {"main._omp_fn.1.constprop.0.cold", Made::gcc, "main"},
        {"function(int) [clone ._omp_fn.0]", Made::gcc, "function"},
        {"function(int) [clone ._omp_fn.0] [clone .part.0]", Made::gcc, "function"},
        {"A<B>::operator()(int) const [clone ._omp_fn.0]", Made::gcc, "A<B>::operator()"},
        {"main._omp_cpyfn.2", Made::helper, "main"},
        {"__heat_MOD_relax._omp_fn.0", Made::gcc, "__heat_MOD_relax"},
        {"main_..omp_par.1", Made::body, "main_."},
        {"main_..omp_parts", Made::helper, "main_."},
        {"omp_outlined[]", Made::body, ""},
        {"omp_outlined.", Made::body, ""},
        {"omp_task_entry[]", Made::task, ""},
        {"omp.reduction.reduction_func", Made::helper, ""},
    };
    for (const auto &[name, made, function] : names) {
        const auto found = outlined(name);
        ASSERT_TRUE(found) << name;
        EXPECT_EQ(found->made, made) << name;
        EXPECT_EQ(found->function, function) << name;
    }
}

TEST(OutlinedNames, AreNoUsers) {
    for (const std::string_view name :
         {"", "main", "omp_task_entry<1>(int&)", "omp_task_entry<1>", "omp_outlined", "my_omp_fn",
          "do_omp_task_entry(char const*, ...)", "apply<void (*)(int, ...)>(int) const",
          "work.constprop.0", "inner.1234", "compute.part.0", "omp.", "omp.1", "omp_get.1",
          "omp) [clone .part"}) {
        EXPECT_FALSE(outlined(name)) << name;
    }
}

TEST(OutlinedNames, OfClonesAreTheOriginals) {
    const std::vector<std::pair<std::string_view, std::string>> names = {
        {"work.constprop.0", "work"},
        {"work.isra.0.part.1", "work"},
        {"work(int) [clone .isra.0]", "work"},
        {"A<int>::work() const [clone .constprop.0] [clone .cold]", "A<int>::work"},
        {"work(int)", "work(int)"},
        {"inner.1234", "inner.1234"},
        {"work", "work"},
    };
    for (const auto &[name, original] : names) {
        EXPECT_EQ(without_clone(name), original);
    }
}

TEST(OutlinedNames, OfFortranAreItsProcedures) {
    const std::vector<std::pair<std::string_view, std::optional<std::string>>> names = {
        {"__heat_MOD_relax", "heat::relax"},
        {"relax_", "relax"},
        {"relax.3", "relax"},
        {"MAIN__", "MAIN_"},
        {"relax", {}},
        {"_", {}},
        {"relax.part.0", {}},
        {"work(int)", {}},
    };
    for (const auto &[symbol, name] : names) {
        EXPECT_EQ(fortran_name(symbol), name) << symbol;
    }
}

TEST(OutlinedNames, TellWhoIsThereOnlyToCall) {
    const std::vector<std::tuple<std::string_view, std::string_view, bool>> calls = {
        {".omp_outlined.(void) const", ".omp_outlined._debug__(int &) const", true},
        {"main.omp_outlined", "main.omp_outlined_debug__", true},
        {".omp_task_entry..8", ".omp_outlined..7", true},
        {".omp_task_entry.", "bmod", false},
        {".omp_outlined._debug__(int &) const", ".omp_outlined..2(void) const", false},
        {"omp_task_entry<1>", "helper", false},
        {".omp_outlined.", "omp_task_entry<1>", false},
        {"main._omp_fn.0", "main._omp_fn.1", false},
        {"main", ".omp_outlined._debug__", false},
    };
    for (const auto &[caller, callee, wraps] : calls) {
        EXPECT_EQ(is_wrapper_of(caller, callee), wraps) << caller << " " << callee;
    }
}

TEST(OutlinedNames, TellBodiesAndWhatTheyCall) {
    const auto kinds = [](std::string_view name) {
        const Outlined found = outlined(name).value_or(Outlined());
        return std::string(found.is_region_body() ? "r" : "") +
               (found.is_clangs_body() ? "c" : "") + (found.is_gccs_body() ? "g" : "") +
               (found.is_task_entry() ? "t" : "") + (found.is_private_map ? "m" : "");
    };
    EXPECT_EQ(kinds("main._omp_fn.0"), "rg");
    EXPECT_EQ(kinds(".omp_outlined."), "rc");
    EXPECT_EQ(kinds(".omp_outlined._debug__.1"), "rc");
    EXPECT_EQ(kinds(".omp_task_entry..8"), "ct");
    EXPECT_EQ(kinds(".omp_task_privates_map."), "m");
    EXPECT_EQ(kinds("main._omp_cpyfn.2"), "");
}

TEST(OutlinedNames, TellWhatTheyWereMadeIn) {
    EXPECT_EQ(made_in("main._omp_fn.0"), "main");
    EXPECT_EQ(made_in(".omp_outlined."), "");
    EXPECT_EQ(made_in("__omp_offloading_10_2a_work_l7"), "work");
    EXPECT_EQ(made_in("main"), std::nullopt);
}

TEST(OutlinedNames, TellTheFunctionAndLineOfATargetRegion) {
    const std::vector<std::pair<std::string, std::optional<TargetRegion>>> names = {
        {"__omp_offloading_fe00_a84022__ZN1S4workEv_l6_debug__", TargetRegion{"_ZN1S4workEv", 6}},
        {"__omp_offloading_fe00_a84022_main_l10", TargetRegion{"main", 10}},
        {"__omp_offloading_fe00_a84022_main_l10_1", TargetRegion{"main", 10}},
        {"__omp_offloading_10302_1f_main_l10(int &, double *)", TargetRegion{"main", 10}},
        {"__omp_offloading_main", std::nullopt},
        {"__omp_offloading_1_2_main_l", std::nullopt},
        {"__omp_offloading_1_2__l3", std::nullopt},
        {"__omp_offloading_1_2_7", std::nullopt},
        {"main", std::nullopt},
        {"", std::nullopt},
    };
    for (const auto &[name, function] : names) {
        EXPECT_EQ(target_region(name), function) << name;
        EXPECT_EQ(is_wrapper_of(name, name + "_debug__"), function && !name.ends_with(')')) << name;
    }
}

TEST(OutlinedNames, OfARegionsIdTellTheRegion) {
    EXPECT_EQ(target_region_of_id(".__omp_offloading_fe00_a84022_main_l6.region_id"),
              (TargetRegion{"main", 6}));
    EXPECT_EQ(target_region_of_id("__omp_offloading_fe00_a84022_main_l6"), std::nullopt);
    EXPECT_EQ(target_region_of_id("main.region_id"), std::nullopt);
}

TEST(OutlinedNames, AreWrittenWithoutParameters) {
    const std::vector<std::pair<std::string_view, std::string_view>> names = {
        {"main", "main"},
        {"Grid::relax(int) const", "Grid::relax"},
        {"Grid::relax(int) const &", "Grid::relax"},
        {"Grid::operator()(int)", "Grid::operator()"},
        {"main()::{lambda(int)#1}::operator()(int) const", "main()::{lambda(int)#1}::operator()"},
        {"operator()", "operator()"},
        {"(anonymous namespace)::reached(char const*, int)", "(anonymous namespace)::reached"},
        {"apply<void (*)(int)>(int)", "apply<void (*)(int)>"},
        {"damaged)", "damaged)"},
    };
    for (const auto &[name, shorter] : names) {
        EXPECT_EQ(without_parameters(name), shorter);
    }
}

TEST(OutlinedNames, AreWrittenWithoutTemplateArgumentsAndTypes) {
    EXPECT_EQ(without_template_arguments("scale<std::pair<int, int> >"), "scale");
    EXPECT_EQ(without_template_arguments("operator>"), "operator>");
    EXPECT_EQ(without_template_arguments("damaged>"), "damaged>");
    EXPECT_EQ(without_template_arguments("A<B<int>, 4>::b<char>"), "A::b");
    EXPECT_EQ(without_template_arguments("A<int>::operator<"), "A::operator<");
    EXPECT_EQ(without_template_arguments("f<int>()::{lambda(int)#1}::operator()"),
              "f()::{lambda(int)#1}::operator()");
    EXPECT_EQ(without_template_arguments("damaged<"), "damaged<");
    EXPECT_EQ(without_type("std::vector<int, long> scale<double>"), "scale<double>");
    EXPECT_EQ(without_type("operator new"), "operator new");
}

}  // namespace

}  // namespace gdb_ompd::code
