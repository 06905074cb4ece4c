// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_ZLIB_H
#define CREDKIT_ZLIB_H

// Decompression of gzip (RFC 1952) with zlib. It is loaded when the first compressed file is read; it is neither linked
// nor needed at build time. script/test-linkage compares these declarations with zlib's header.

#include <stddef.h>
#include <stdint.h>

// The type has its own name so that a program can also import zlib's header.
typedef struct credkit_zlib_stream credkit_zlib_stream;

// The members of zlib's z_stream.
struct credkit_zlib_members {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc;
    void *zfree;
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
};

// Z_FINISH, Z_STREAM_END, Z_MEM_ERROR, and the window of 32 KiB with gzip's header and checksum (MAX_WBITS + 16).
enum {
    CREDKIT_ZLIB_FINISH = 4,
    CREDKIT_ZLIB_STREAM_END = 1,
    CREDKIT_ZLIB_MEM_ERROR = -4,
    CREDKIT_ZLIB_GZIP_WINDOW = 31,
};

// F(result, name, (parameters))
#define CREDKIT_ZLIB_FUNCTIONS(F) \
    F(const char *, zlibVersion, (void)) \
    F(int, inflateInit2_, (credkit_zlib_stream *, int window, const char *version, int size)) \
    F(int, inflate, (credkit_zlib_stream *, int flush)) \
    F(int, inflateEnd, (credkit_zlib_stream *))

enum credkit_gunzip_result {
    CREDKIT_GUNZIP_DONE,
    // The input is not one whole gzip stream of exactly that size.
    CREDKIT_GUNZIP_MALFORMED,
    CREDKIT_GUNZIP_OUT_OF_MEMORY,
    // zlib or one of its functions is missing.
    CREDKIT_GUNZIP_NO_LIBRARY,
};

// Decompresses one gzip stream of `input_size` bytes, which must become exactly `output_size` bytes and agree with its
// checksum. Both sizes must be less than 4 GiB. The output passes through no other memory.
enum credkit_gunzip_result credkit_gunzip(const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size);

#endif
