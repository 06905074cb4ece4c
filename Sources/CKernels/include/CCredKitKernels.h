// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The inner loops that are worth an instruction set: Base64, and MD5 over sixteen messages at once.
//
// Nothing here allocates, reads past its input or writes past its output. Nothing branches on the bytes it
// handles or uses them as an index into memory, save that decoding stops at the first group that is not valid.
#ifndef CCREDKIT_KERNELS_H
#define CCREDKIT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

// _Nonnull stands only where it saves Swift a check.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"
#pragma clang diagnostic ignored "-Wnullability-completeness-on-arrays"

/// The lanes of the MD5 kernels: how many messages are hashed at once.
#define CREDKIT_MD5_LANES 16

/// The forms of Base64: padded with `=` up to whole groups; the alphabet with `-` and `_`. Both or none may be set.
enum { CREDKIT_BASE64_PADDED = 1, CREDKIT_BASE64_URL_SAFE = 2 };

/// What is passed over between characters of Base64: line feeds; spaces, tabs and carriage returns; everything that is
/// neither of the alphabet nor `=`. Beside a form, and more than one may be set.
enum { CREDKIT_BASE64_SKIPS_LINE_FEEDS = 4, CREDKIT_BASE64_SKIPS_BLANKS = 8, CREDKIT_BASE64_SKIPS_GARBAGE = 16 };

/// Beside the form of padded Base64: a group may end in one or two `=`, whatever bits no byte takes up, and others may
/// follow.
enum { CREDKIT_BASE64_GOES_ON = 32 };

/// One message of a batch.
struct credkit_md5_message {
    const uint8_t *bytes;
    size_t length;
};

/// The kernels for one instruction set. All give the same bytes.
struct credkit_kernels {
    /// The name, as the environment variable CREDKIT_KERNELS has it.
    const char *name;

    /// Encodes `length` bytes, the last incomplete group too. Returns how many characters that makes, or
    /// -1 if the target has room for fewer; nothing is written then.
    ptrdiff_t (*_Nonnull base64_encode)(const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form);

    /// Decodes groups of four characters into groups of three bytes, up to the first group that holds anything
    /// but characters of the alphabet. Returns how many were decoded; nothing behind their bytes is written.
    size_t (*_Nonnull base64_decode)(const uint8_t *source, size_t groups, uint8_t *target, unsigned form);

    /// Decodes a whole text with its end, padded or not as the form has it. Returns how many bytes that makes, or
    /// -1 if it is not valid. The target has room for 3 bytes for each 4 characters and for 1 or 2
    /// bytes for an end of 2 or 3; nothing is written behind the bytes of the text. What was decoded in front of a fault
    /// may stand in the target.
    ptrdiff_t (*_Nonnull base64_decode_text)(const uint8_t *source, size_t length, uint8_t *target, unsigned form);

    /// Feeds `count` blocks of 64 bytes to each of the first `lanes` states. The words of a state stand one
    /// below the other: states[word][lane]. Lane n reads its blocks from blocks[n] on. The states of other lanes
    /// may be overwritten.
    void (*_Nonnull md5_blocks)(uint32_t states[4][CREDKIT_MD5_LANES], const uint8_t *const blocks[CREDKIT_MD5_LANES],
                       size_t lanes, size_t count);

    /// The MD5s of messages of at most 55 bytes each, as credkit_md5_batch does them.
    void (*_Nonnull md5_short)(const uint32_t start[4], uint64_t start_length, const struct credkit_md5_message *messages,
                      size_t count, uint8_t *digests);

    /// The MD5s of digests of 16 bytes, in their places.
    void (*_Nonnull md5_of_digests)(const uint32_t start[4], uint64_t start_length, uint8_t *digests, size_t count);
};

extern const struct credkit_kernels credkit_kernels_portable;
#if defined(__x86_64__)
extern const struct credkit_kernels credkit_kernels_ssse3;
extern const struct credkit_kernels credkit_kernels_avx2;
extern const struct credkit_kernels credkit_kernels_avx512;
#endif

/// The kernels that this processor can run, the fastest first, ending with the portable ones. `count` gets their
/// number.
const struct credkit_kernels *const *credkit_kernels_supported(size_t *count);

/// The fastest kernels of this processor, or those that the environment variable CREDKIT_KERNELS names if the
/// processor can run them. Chosen once, by the first call.
const struct credkit_kernels *_Nonnull credkit_kernels_choose(void);

extern const struct credkit_kernels *_Nonnull credkit_chosen_kernels;

/// The kernels that were chosen, or ones that choose them when they are called.
static inline const struct credkit_kernels *_Nonnull credkit_kernels_get(void) {
    return __atomic_load_n(&credkit_chosen_kernels, __ATOMIC_ACQUIRE);
}

/// The value of one character, or -1.
int credkit_base64_value(uint8_t character, unsigned form);

/// How far a decoding has got: the characters that were read and the bytes that were written.
struct credkit_base64_progress {
    size_t read, written;
};

/// Decodes groups of four characters with what the form passes over between them, up to the first that is not valid,
/// not complete, ends in a `=` that the form does not allow, or has no room. Fast where kernels are not: groups that
/// hardly two of stand in a row.
struct credkit_base64_progress credkit_base64_decode_skipping(const uint8_t *source, size_t length, uint8_t *target,
                                                              size_t room, unsigned form);

/// Decodes lines of `line` characters, a multiple of four and not 0, each with a line feed behind it, as long as there
/// are any, and the groups in front of the first character that is not of the alphabet. The target has room for
/// three bytes for every four characters.
struct credkit_base64_progress credkit_base64_decode_lines(const uint8_t *source, size_t length, size_t line,
                                                           uint8_t *target, unsigned form);

/// How many characters at the front of a text the form passes over.
size_t credkit_base64_skipped(const uint8_t *source, size_t length, unsigned form);

/// How many bytes stand in front of the first line feed; all of them if there is none.
size_t credkit_base64_line(const uint8_t *source, size_t length);

/// Whether bits are set that no byte takes up in the values of the last 2 or 3 characters of a text, six bits each.
int credkit_base64_has_unused_bits(uint32_t values, size_t count);

/// The state of MD5 that nothing has been fed to.
const uint32_t *_Nonnull credkit_md5_start(void);

/// The MD5s of independent messages of any lengths, 16 bytes each, in their order.
///
/// `start` is the state to start from, to which `start_length` bytes, a multiple of 64, have been fed.
void credkit_md5_batch(const uint32_t start[4], uint64_t start_length, const struct credkit_md5_message *messages,
                       size_t count, uint8_t *digests);

/// The MD5s of digests of 16 bytes, in their places: the outer half of HMAC.
static inline void credkit_md5_of_digests(const uint32_t start[4], uint64_t start_length, uint8_t *digests,
                                          size_t count) {
    credkit_kernels_get()->md5_of_digests(start, start_length, digests, count);
}

/// Encodes bytes as lowercase hexadecimal digits, two each.
void credkit_hex_encode(const uint8_t *source, size_t length, uint8_t *target);

/// Decodes pairs of hexadecimal digits in either case. Returns the index of the first character that is none, or the
/// length. The target has room for half as many bytes, rounded down.
size_t credkit_hex_decode(const uint8_t *source, size_t length, uint8_t *target);

/// Puts MD5's padding behind the last `used` bytes of a message, fewer than 64, in memory of 128 bytes, and returns
/// how many blocks they make, 1 or 2. `length` is that of the whole message in bytes.
size_t credkit_md5_pad(uint8_t tail[128], size_t used, uint64_t length);

#pragma clang diagnostic pop

#endif
