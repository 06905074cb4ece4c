// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "CCredKitQREncode.h"

#include <dlfcn.h>
#include <stddef.h>

int credkit_qrencode_library_load(struct credkit_qrencode_library *library) {
    // Never closed: it is used again.
    void *handle = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) return 0;
#define LOAD(result, name, parameters) \
    *(void **)&library->name = dlsym(handle, #name); \
    if (library->name == NULL) return 0;
    CREDKIT_QRENCODE_FUNCTIONS(LOAD)
#undef LOAD
    return 1;
}
