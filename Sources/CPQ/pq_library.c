// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "CCredKitPQ.h"

#include <dlfcn.h>
#include <stddef.h>

int credkit_pq_library_load(struct credkit_pq_library *library, const char **problem) {
    // Never closed: threads that wait for a server may outlive every use of it.
    void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) {
        *problem = dlerror();
        return 0;
    }
    // A lookup through libpq's handle finds the libssl that libpq uses.
#define LOAD(result, name, parameters) \
    *(void **)&library->name = dlsym(handle, #name); \
    if (library->name == NULL) { \
        *problem = dlerror(); \
        return 0; \
    }
    CREDKIT_PQ_FUNCTIONS(LOAD)
    CREDKIT_PQ_TLS_FUNCTIONS(LOAD)
#undef LOAD
    return 1;
}
