// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares the kernels of every instruction set of this processor with each other and with OpenSSL. See main.c.
#ifndef KERNEL_TEST_H
#define KERNEL_TEST_H

#include "CCredKitKernels.h"

#include <stdbool.h>
#include <string.h>

/// The longest input of the random tests, in bytes.
#define LONGEST 4096

/// The longest text, with room for OpenSSL's NUL and for extra characters.
#define LONGEST_TEXT (LONGEST / 3 * 4 + 16)

/// The current test, for the failure message.
struct situation {
    const char *test;
    const char *kernels;
    /// The arguments of the current call.
    const char *call;
    size_t length, alignment, target_alignment;
    /// For Base64.
    unsigned form;
};
extern struct situation now;

/// The forms of Base64, 0 to 3.
#define FORMS 4

/// Whether the tests of every byte at every position skip lengths without a separate path, because a sanitizer is slow.
extern bool is_sparse;

/// Prints the current test and the failure, and ends the process.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define CHECK(condition, ...) \
    do { \
        if (!(condition)) { fail(__VA_ARGS__); } \
    } while (0)

// random.c

void random_seed(uint64_t seed);
uint64_t random_word(void);
/// A number below `bound`.
size_t random_below(size_t bound);
void random_fill(uint8_t *bytes, size_t length);

// guarded.c

/// Memory between two inaccessible pages.
struct guarded {
    uint8_t *memory;
    size_t size;
};

/// The position of data in guarded memory.
struct place {
    enum { AT_START, AT_END, ALIGNED } kind;
    /// For ALIGNED: the offset from an address that is a multiple of 64.
    size_t alignment;
};

/// Memory of at least `size` bytes.
struct guarded guarded_make(size_t size);
/// An inaccessible page.
const uint8_t *untouchable(void);
uint8_t *guarded_at(const struct guarded *guarded, size_t length, struct place place);
struct place random_place(void);
/// Makes AddressSanitizer, if present, report every access to guarded memory outside of the `length` bytes at `bytes`:
/// after them exactly, before them in steps of eight bytes.
void guarded_close(const struct guarded *guarded, const uint8_t *bytes, size_t length);
void guarded_open(const struct guarded *guarded);
/// Fills the memory around and under an output with a byte, and later checks that it is unchanged except in the first
/// `written` bytes of the output.
void canary_put(const struct guarded *guarded, const uint8_t *output, size_t length, uint8_t canary);
void canary_check(const struct guarded *guarded, const uint8_t *output, size_t length, size_t written,
                  uint8_t canary);
/// Ends the process with a message when a guard page is accessed.
void guarded_watch(void);

// batch.c

/// The most messages of a batch.
#define BATCH 100

struct batch {
    size_t count;
    struct credkit_md5_message messages[BATCH];
};

/// Memory for one message.
const struct guarded *message_memory(size_t index);
/// Fills a batch with random messages of at most `longest` bytes.
void batch_make(struct batch *batch, size_t count, size_t longest);
/// Hashes a batch between guards and compares the digests.
void batch_check(struct batch *batch, void (*hash)(const struct batch *batch, uint8_t *digests),
                 const uint8_t *expected);

// kernels.c

/// The result of credkit_kernels_get() at process start.
extern const struct credkit_kernels *kernels_at_start;
/// The kernels under test, and their number: all supported ones, or only the planted ones.
extern const struct credkit_kernels *const *tested;
extern size_t tested_count;

/// The hexadecimal functions under test, which are the same for all processors.
extern void (*tested_hex_encode)(const uint8_t *source, size_t length, uint8_t *target);
extern size_t (*tested_hex_decode)(const uint8_t *source, size_t length, uint8_t *target);

/// The skipping Base64 functions under test, also the same for all processors.
typedef struct credkit_base64_progress base64_skipping(const uint8_t *source, size_t length, uint8_t *target,
                                                       size_t room, unsigned form);
typedef struct credkit_base64_progress base64_lines(const uint8_t *source, size_t length, size_t line,
                                                    uint8_t *target, unsigned form);
extern base64_skipping *tested_skipping;
extern base64_lines *tested_lines;

/// A fault that the tests must find: each non-NULL member replaces the correct function.
struct fault {
    const char *name;
    struct credkit_kernels kernels;
    void (*hex_encode)(const uint8_t *source, size_t length, uint8_t *target);
    size_t (*hex_decode)(const uint8_t *source, size_t length, uint8_t *target);
    base64_skipping *skipping;
    base64_lines *lines;
    struct credkit_argon2_kernels argon2;
    struct credkit_pbkdf2_kernels pbkdf2;
    struct credkit_shacrypt_kernels shacrypt;
    struct credkit_scrypt_kernels scrypt;
    struct credkit_bcrypt_kernels bcrypt;
};

/// The faults of each kind; the last one has no name.
extern const struct fault base64_faults[], base64_skipping_faults[], hex_faults[], md5_faults[],
    argon2_faults[], pbkdf2_faults[], shacrypt_faults[], scrypt_faults[], bcrypt_faults[];
/// The kernels in which the faults are planted.
extern const struct credkit_kernels *sound;
/// Reads an unused byte, as a load that is too wide does.
void read_unused(const uint8_t *byte);

/// The kernels of Argon2 under test, the ones in which a fault is planted, and that fault, if there is one.
extern const struct credkit_argon2_kernels *const *tested_argon2, *sound_argon2;
extern size_t tested_argon2_count;
extern const struct fault *planted_in_argon2;
/// The same for PBKDF2.
extern const struct credkit_pbkdf2_kernels *const *tested_pbkdf2, *sound_pbkdf2;
extern size_t tested_pbkdf2_count;
extern const struct fault *planted_in_pbkdf2;
/// The same for SHA-crypt, whose kernels under test are all supported ones of both variants.
extern const struct credkit_shacrypt_kernels *sound_shacrypt;
extern const struct fault *planted_in_shacrypt;
/// The same for scrypt.
extern const struct credkit_scrypt_kernels *const *tested_scrypt, *sound_scrypt;
extern size_t tested_scrypt_count;
extern const struct fault *planted_in_scrypt;
/// The same for bcrypt, which has one set of kernels.
extern const struct credkit_bcrypt_kernels *sound_bcrypt;
extern const struct fault *planted_in_bcrypt;

/// Returns the name of a fault; NULL after the last one.
const struct fault *planted_fault(size_t index);
/// Replaces the kernels under test with faulty ones. Returns false if there is no such fault.
bool plant(const char *name);

// oracle.c: expected results, from OpenSSL and from tables.

/// The six bits of each character, or -1.
extern int8_t character_values[2][256];
static inline const int8_t *values_of(unsigned form) {
    return character_values[(form & CREDKIT_BASE64_URL_SAFE) != 0];
}
/// The initial state of MD5.
extern const uint32_t md5_start[4];
void oracle_prepare(void);
/// Encodes bytes; `text` has room for 4 characters for each 3 bytes and 5 more. Returns its length.
size_t oracle_encode(const uint8_t *bytes, size_t length, uint8_t *text, unsigned form);
/// Decodes complete groups of valid characters with OpenSSL.
void oracle_decode(const uint8_t *text, size_t groups, uint8_t *bytes, unsigned form);
/// Decodes a text as RFC 4648 defines it, character by character: no missing or extra padding, only characters of the
/// alphabet before it (§3.1 to §3.3), and zeros in the unused bits (§3.5). Returns the number of bytes, or -1.
ptrdiff_t oracle_decode_text(const uint8_t *text, size_t length, uint8_t *bytes, unsigned form);
/// Feeds blocks to a state.
void oracle_md5_blocks(uint32_t state[4], const uint8_t *blocks, size_t count);
/// The MD5 of a message that starts in a state to which `start_length` bytes have been fed.
void oracle_md5(const uint32_t start[4], uint64_t start_length, const uint8_t *bytes, size_t length,
                uint8_t digest[16]);
/// OpenSSL's own EVP_sha256.
const void *oracle_sha256(void);
void oracle_hmac(const uint8_t *key, size_t key_length, const uint8_t *bytes, size_t length, uint8_t code[16]);

// base64_check.c: one call of one kernel, between guards.

/// Encodes with `extra` bytes more room than the text needs, and before that with too little room.
void check_encoding(const struct credkit_kernels *kernels, const uint8_t *bytes, size_t length, const uint8_t *text,
                    size_t characters, size_t extra, struct place from, struct place to);
/// Decodes groups; `valid` is the number of groups before the first invalid one.
void check_decoding(const struct credkit_kernels *kernels, const uint8_t *text, size_t groups, size_t valid,
                    const uint8_t *bytes, struct place from, struct place to);
/// Decodes a text that stands for `count` bytes, or that is invalid if `count` is -1.
void check_text(const struct credkit_kernels *kernels, const uint8_t *text, size_t length, ptrdiff_t count,
                const uint8_t *bytes, struct place from, struct place to);
/// The room that base64_decode_text needs for the bytes of a text.
size_t room_for_text(size_t length);

// The tests.

/// A random MD5 state and the number of bytes fed to it; or the initial one.
void random_start(uint32_t state[4], uint64_t *length);

void test_selection(void);
void test_base64_random(size_t inputs);
void test_base64_lengths(void);
void test_base64_errors(void);
void test_base64_values(void);
void test_base64_characters(void);
void test_base64_ends(void);
void test_base64_padding(void);
void test_base64_skipping(size_t inputs);
void test_base64_lines(size_t inputs);
void test_hex_encoding(void);
void test_hex_decoding(void);
void test_hex_values(void);
void test_openssl_calls(void);
void test_md5_blocks(size_t inputs);
void test_md5_padding(void);
void test_md5_pieces(size_t inputs);
void test_md5_short(size_t inputs);
void test_md5_of_digests(size_t inputs);
void test_md5_batches(size_t inputs);
void test_hmac_batches(size_t inputs);
void test_argon2_start(void);
void test_argon2_selection(void);
void test_argon2_random(size_t inputs);
void test_argon2_cancellation(void);
void test_arena(void);
void test_arena_lock(void);
void test_argon2_stack(void);
void test_argon2_threads(void);
void test_argon2_stack_of_threads(void);
void test_pbkdf2_start(void);
void test_pbkdf2_selection(void);
void test_pbkdf2_random(size_t inputs);
/// Returns the longest processor time in seconds from a cancellation to the end of the computation.
double test_pbkdf2_cancellation(void);
void test_shacrypt_start(void);
void test_shacrypt_selection(void);
void test_shacrypt_vectors(void);
void test_shacrypt_stack(void);
void test_shacrypt_random(size_t inputs);
/// As for PBKDF2.
double test_shacrypt_cancellation(void);
void test_scrypt_start(void);
void test_scrypt_selection(void);
void test_scrypt_random(size_t inputs);
void test_scrypt_other_lanes(void);
void test_scrypt_stack(void);
void test_scrypt_cancellation(void);
void test_bcrypt_start(void);
void test_bcrypt_selection(void);
void test_bcrypt_random(size_t inputs);
void test_bcrypt_stack(void);

#endif
