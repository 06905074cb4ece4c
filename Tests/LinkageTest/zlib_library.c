// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares CredKit's declarations of zlib's constants, functions and type with zlib's own header. Only compiled, never
// run: each difference is a compiler error.
#include <zlib.h>

#define credkit_zlib_stream z_stream_s
#include "CCredKitZlib.h"

#define COMPARE(result, name, parameters) result(*const compare_##name) parameters = name;
CREDKIT_ZLIB_FUNCTIONS(COMPARE)

_Static_assert((int)CREDKIT_ZLIB_FINISH == Z_FINISH, "Z_FINISH");
_Static_assert((int)CREDKIT_ZLIB_STREAM_END == Z_STREAM_END, "Z_STREAM_END");
_Static_assert((int)CREDKIT_ZLIB_MEM_ERROR == Z_MEM_ERROR, "Z_MEM_ERROR");
_Static_assert((int)CREDKIT_ZLIB_GZIP_WINDOW == MAX_WBITS + 16, "MAX_WBITS");

#define SAME(member) \
    _Static_assert(offsetof(struct credkit_zlib_members, member) == offsetof(z_stream, member), #member); \
    _Static_assert( \
        sizeof((struct credkit_zlib_members){0}.member) == sizeof((z_stream){0}.member), "the size of " #member);
SAME(next_in)
SAME(avail_in)
SAME(total_in)
SAME(next_out)
SAME(avail_out)
SAME(total_out)
SAME(msg)
SAME(state)
SAME(zalloc)
SAME(zfree)
SAME(opaque)
SAME(data_type)
SAME(adler)
SAME(reserved)
_Static_assert(sizeof(struct credkit_zlib_members) == sizeof(z_stream), "the size of z_stream");
