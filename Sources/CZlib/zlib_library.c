// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "CCredKitZlib.h"

#include <dlfcn.h>
#include <limits.h>

struct zlib_library {
#define MEMBER(result, name, parameters) result(*name) parameters;
    CREDKIT_ZLIB_FUNCTIONS(MEMBER)
#undef MEMBER
};

static int load(struct zlib_library *library) {
    // Never closed: loading it again would cost more than it takes.
    void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) return 0;
#define LOAD(result, name, parameters) \
    *(void **)&library->name = dlsym(handle, #name); \
    if (library->name == NULL) return 0;
    CREDKIT_ZLIB_FUNCTIONS(LOAD)
#undef LOAD
    return 1;
}

enum credkit_gunzip_result credkit_gunzip(const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size) {
    if (input_size > UINT_MAX || output_size > UINT_MAX) return CREDKIT_GUNZIP_MALFORMED;
    struct zlib_library library;
    if (!load(&library)) return CREDKIT_GUNZIP_NO_LIBRARY;
    struct credkit_zlib_members members = {
        .next_in = input,
        .avail_in = (unsigned int)input_size,
        .next_out = output,
        .avail_out = (unsigned int)output_size,
    };
    credkit_zlib_stream *stream = (credkit_zlib_stream *)&members;
    int status = library.inflateInit2_(stream, CREDKIT_ZLIB_GZIP_WINDOW, library.zlibVersion(), (int)sizeof members);
    if (status != 0) return status == CREDKIT_ZLIB_MEM_ERROR ? CREDKIT_GUNZIP_OUT_OF_MEMORY : CREDKIT_GUNZIP_NO_LIBRARY;
    // With the whole input and room for the whole output, one call finishes, and zlib copies nothing to a window.
    status = library.inflate(stream, CREDKIT_ZLIB_FINISH);
    const int is_whole = status == CREDKIT_ZLIB_STREAM_END && members.avail_in == 0 && members.avail_out == 0;
    library.inflateEnd(stream);
    if (status == CREDKIT_ZLIB_MEM_ERROR) return CREDKIT_GUNZIP_OUT_OF_MEMORY;
    return is_whole ? CREDKIT_GUNZIP_DONE : CREDKIT_GUNZIP_MALFORMED;
}
