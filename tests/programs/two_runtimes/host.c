// SPDX-License-Identifier: Apache-2.0
// Calls a library of clang's with functions of one of gcc's, each on its own runtime.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *const outer = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
    void *const inner = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : 0;
    if (!outer || !inner) {
        puts(dlerror());
        return 1;
    }
    void (*const run)(void *, void *) = (void (*)(void *, void *))dlsym(outer, "run");
    run(dlsym(inner, "update_in_team"), dlsym(inner, "with_table"));
    return 0;
}
