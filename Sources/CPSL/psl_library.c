// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "CCredKitPSL.h"

#include <dlfcn.h>
#include <stddef.h>

int credkit_psl_library_load(struct credkit_psl_library *library) {
    // Never closed: its list is used for the life of the process.
    void *handle = dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) return 0;
#define LOAD(result, name, parameters) \
    *(void **)&library->name = dlsym(handle, #name); \
    if (library->name == NULL) return 0;
    CREDKIT_PSL_FUNCTIONS(LOAD)
#undef LOAD
    return 1;
}
