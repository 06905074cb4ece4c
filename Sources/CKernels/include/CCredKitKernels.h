// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The inner loops that benefit from special instruction sets: Base64, and MD5 over sixteen messages at once; and MD5 of one.
//
// No function allocates memory, reads past its input or writes past its output. No function branches on the processed
// bytes or uses them as an index into memory, except that decoding stops at the first invalid group.
#ifndef CCREDKIT_KERNELS_H
#define CCREDKIT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

// _Nonnull is used only where it saves Swift a check.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"
#pragma clang diagnostic ignored "-Wnullability-completeness-on-arrays"

/// The number of lanes of the MD5 kernels, which hash this many messages at once.
#define CREDKIT_MD5_LANES 16

/// The forms of Base64: padding with `=` to whole groups, and the alphabet with `-` and `_`. Any combination is
/// valid.
enum { CREDKIT_BASE64_PADDED = 1, CREDKIT_BASE64_URL_SAFE = 2 };

/// The characters to skip between characters of Base64: line feeds; spaces, tabs and carriage returns; all characters
/// that are neither in the alphabet nor `=`. Any combination can be added to a form.
enum { CREDKIT_BASE64_SKIPS_LINE_FEEDS = 4, CREDKIT_BASE64_SKIPS_BLANKS = 8, CREDKIT_BASE64_SKIPS_GARBAGE = 16 };

/// Can be added to a padded form: a group may end in one or two `=`, unused bits may be set, and other groups may
/// follow.
enum { CREDKIT_BASE64_GOES_ON = 32 };

/// One message of a batch.
struct credkit_md5_message {
    const uint8_t *bytes;
    size_t length;
};

/// The kernels for one instruction set. The results of all kernels are identical.
struct credkit_kernels {
    /// The name for the environment variable CREDKIT_KERNELS.
    const char *name;

    /// Encodes `length` bytes, including an incomplete last group. Returns the number of characters, or -1 if the
    /// target has room for fewer; then nothing is written.
    ptrdiff_t (*_Nonnull base64_encode)(const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form);

    /// Decodes groups of four characters into groups of three bytes, up to the first group with a character outside
    /// the alphabet. Returns the number of decoded groups; nothing is written behind their bytes.
    size_t (*_Nonnull base64_decode)(const uint8_t *source, size_t groups, uint8_t *target, unsigned form);

    /// Decodes a whole text including its end, padded or not according to the form. Returns the number of bytes, or
    /// -1 if the text is invalid. The target must have room for 3 bytes per 4 characters, and for 1 or 2 bytes for an
    /// end of 2 or 3; nothing is written behind the bytes of the text. If the text is invalid, the target may contain
    /// the bytes before the error.
    ptrdiff_t (*_Nonnull base64_decode_text)(const uint8_t *source, size_t length, uint8_t *target, unsigned form);

    /// Processes `count` blocks of 64 bytes for each of the first `lanes` states. The states are stored as
    /// states[word][lane]. The blocks of lane n start at blocks[n]. The states of other lanes may be overwritten.
    void (*_Nonnull md5_blocks)(uint32_t states[4][CREDKIT_MD5_LANES], const uint8_t *const blocks[CREDKIT_MD5_LANES],
                       size_t lanes, size_t count);

    /// The MD5 digests of messages of at most 55 bytes each, with the parameters of credkit_md5_batch.
    void (*_Nonnull md5_short)(const uint32_t start[4], uint64_t start_length, const struct credkit_md5_message *messages,
                      size_t count, uint8_t *digests);

    /// Replaces digests of 16 bytes by their MD5 digests.
    void (*_Nonnull md5_of_digests)(const uint32_t start[4], uint64_t start_length, uint8_t *digests, size_t count);
};

extern const struct credkit_kernels credkit_kernels_portable;
#if defined(__x86_64__)
extern const struct credkit_kernels credkit_kernels_ssse3;
extern const struct credkit_kernels credkit_kernels_avx2;
extern const struct credkit_kernels credkit_kernels_avx512;
#endif

/// Returns the kernels that this processor can run, the fastest first, the portable ones last. `count` receives their
/// number.
const struct credkit_kernels *const *credkit_kernels_supported(size_t *count);

/// Returns the fastest kernels of this processor, or those named by the environment variable CREDKIT_KERNELS if the
/// processor can run them. The first call makes the choice.
const struct credkit_kernels *_Nonnull credkit_kernels_choose(void);

extern const struct credkit_kernels *_Nonnull credkit_chosen_kernels;

/// Returns the chosen kernels, or placeholders that choose them when they are called.
static inline const struct credkit_kernels *_Nonnull credkit_kernels_get(void) {
    return __atomic_load_n(&credkit_chosen_kernels, __ATOMIC_ACQUIRE);
}

/// Returns the value of one character, or -1.
int credkit_base64_value(uint8_t character, unsigned form);

/// The progress of decoding: the number of characters that were read and of bytes that were written.
struct credkit_base64_progress {
    size_t read, written;
};

/// Decodes groups of four characters, skipping characters according to the form, up to the first group that is
/// invalid, is incomplete, ends in a `=` that the form does not allow, or has no room. It is faster than the kernels
/// if skipped characters separate almost all groups.
struct credkit_base64_progress credkit_base64_decode_skipping(const uint8_t *source, size_t length, uint8_t *target,
                                                              size_t room, unsigned form);

/// Decodes consecutive lines of `line` characters, a multiple of four and not 0, each followed by a line feed, and
/// the groups before the first character outside the alphabet. The target must have room for three bytes for every
/// four characters.
struct credkit_base64_progress credkit_base64_decode_lines(const uint8_t *source, size_t length, size_t line,
                                                           uint8_t *target, unsigned form);

/// Returns the number of characters at the start of a text that the form skips.
size_t credkit_base64_skipped(const uint8_t *source, size_t length, unsigned form);

/// Returns the number of bytes before the first line feed; all bytes if there is none.
size_t credkit_base64_line(const uint8_t *source, size_t length);

/// Returns whether unused bits are set in the values of the last 2 or 3 characters of a text, six bits each.
int credkit_base64_has_unused_bits(uint32_t values, size_t count);

/// Returns the initial state of MD5.
const uint32_t *_Nonnull credkit_md5_start(void);

/// The state of MD5 after a part of a message.
struct credkit_md5 {
    uint32_t words[4];
    /// The number of bytes so far.
    uint64_t length;
    /// The last bytes, as many as there are behind the last whole block.
    uint8_t rest[64];
};

/// Processes `count` blocks of 64 bytes of one message.
void credkit_md5_blocks(uint32_t words[_Nonnull 4], const uint8_t *bytes, size_t count);

/// Appends bytes to a message.
void credkit_md5_update(struct credkit_md5 *_Nonnull state, const uint8_t *bytes, size_t count);

/// Ends a message. The state must not be used afterwards.
void credkit_md5_end(struct credkit_md5 *_Nonnull state, uint8_t digest[_Nonnull 16]);

/// Computes the MD5 digests of independent messages of any lengths, 16 bytes each, in their order.
///
/// `start` is the initial state, after `start_length` bytes, a multiple of 64.
void credkit_md5_batch(const uint32_t start[4], uint64_t start_length, const struct credkit_md5_message *messages,
                       size_t count, uint8_t *digests);

/// Replaces digests of 16 bytes by their MD5 digests: the outer half of HMAC.
static inline void credkit_md5_of_digests(const uint32_t start[4], uint64_t start_length, uint8_t *digests,
                                          size_t count) {
    credkit_kernels_get()->md5_of_digests(start, start_length, digests, count);
}

/// Encodes bytes as lowercase hexadecimal digits, two each.
void credkit_hex_encode(const uint8_t *source, size_t length, uint8_t *target);

/// Decodes pairs of hexadecimal digits in either case. Returns the index of the first character that is not a digit,
/// or the length. The target must have room for half as many bytes, rounded down.
size_t credkit_hex_decode(const uint8_t *source, size_t length, uint8_t *target);

/// Encodes bytes in Base32, without padding. Returns the number of characters.
size_t credkit_base32_encode(const uint8_t *source, size_t length, uint8_t *target);

/// What was found in a Base32 text.
struct credkit_base32_text {
    /// The number of characters of the alphabet, and of padding characters behind them.
    size_t digits, padding;
    /// The index of the last character of the alphabet.
    size_t last;
    /// Bits of that character that belong to no byte; 0 if they are zero.
    uint32_t trailing;
};

/// What a decoder of Base32 takes beside the alphabet and padding: nothing; lowercase letters and spaces; also tabs, line
/// ends and dashes.
enum credkit_base32_leniency { CREDKIT_BASE32_STRICT, CREDKIT_BASE32_LENIENT, CREDKIT_BASE32_SEED };

/// Decodes Base32. Returns the index of the first character that is not taken, or the length. The target must have room
/// for 5 bytes of every 8 characters, rounded down.
size_t credkit_base32_decode(const uint8_t *source, size_t length, enum credkit_base32_leniency leniency,
                             uint8_t *target, struct credkit_base32_text *text);

/// Writes the padding of MD5 behind the last `used` bytes of a message, fewer than 64, in memory of 128 bytes, and
/// returns the number of blocks they make together, 1 or 2. `length` is the length of the whole message in bytes.
size_t credkit_md5_pad(uint8_t tail[128], size_t used, uint64_t length);

#pragma clang diagnostic pop

#include "CCredKitArgon2.h"
#include "CCredKitBcrypt.h"
#include "CCredKitLanes.h"
#include "CCredKitPBKDF2.h"
#include "CCredKitSHACrypt.h"
#include "CCredKitScrypt.h"

#endif
