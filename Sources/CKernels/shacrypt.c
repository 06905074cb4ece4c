// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-crypt without its rounds, which the kernels compute.
#include <string.h>

#include "CCredKitSHACrypt.h"
#include "declassify.h"
#include "shacrypt_hash.h"
#include "shacrypt_rounds.h"

enum {
    LANES = CREDKIT_SHACRYPT_LANES,
    PASSWORD = CREDKIT_SHACRYPT_PASSWORD,
    SALT = CREDKIT_SHACRYPT_SALT,
    DIGEST = CREDKIT_SHACRYPT_DIGEST,
    MESSAGE = CREDKIT_SHACRYPT_MESSAGE,
    /// The number of blocks of each lane between two looks at the flag. The slowest kernels take 3 ms for them.
    BLOCKS_AT_ONCE = 1000,
};
// The longest message of a round: the password twice, the salt, the digest, and at least 17 bytes of padding.
_Static_assert(2 * PASSWORD + SALT + DIGEST + 17 <= MESSAGE, "");

/// What the rounds hash instead of the password and of the salt.
struct sequences {
    uint8_t password[PASSWORD], salt[SALT];
};

/// Overwrites the stack below the caller, where kernels have left what did not fit into registers: some 3 KiB in a
/// release, 5 KiB without optimization.
static __attribute__((noinline)) void wipe_stack(void) {
    uint8_t bytes[8192];
    explicit_bzero(bytes, sizeof bytes);
}

/// Computes the digest before the first round, A in the specification.
static void hash_first(const struct credkit_shacrypt_kernels *kernels, const struct credkit_shacrypt_input *input,
                       uint8_t digest[DIGEST]) {
    const size_t length = input->password_length, size = shacrypt_digest_size(kernels);
    struct shacrypt_hash hash;
    shacrypt_hash_begin(&hash, kernels);
    shacrypt_hash_add(&hash, input->password, length);
    shacrypt_hash_add(&hash, input->salt, input->salt_length);
    shacrypt_hash_add(&hash, input->password, length);
    uint8_t second[DIGEST];
    shacrypt_hash_end(&hash, second);
    shacrypt_hash_begin(&hash, kernels);
    shacrypt_hash_add(&hash, input->password, length);
    shacrypt_hash_add(&hash, input->salt, input->salt_length);
    size_t rest = length;
    for (; rest > size; rest -= size) shacrypt_hash_add(&hash, second, size);
    shacrypt_hash_add(&hash, second, rest);
    for (size_t bits = length; bits > 0; bits >>= 1) {
        if (bits & 1) {
            shacrypt_hash_add(&hash, second, size);
        } else {
            shacrypt_hash_add(&hash, input->password, length);
        }
    }
    shacrypt_hash_end(&hash, digest);
    explicit_bzero(second, sizeof second);
}

/// Repeats the digest of a text that was hashed several times until it is as long as the text.
static void make_sequence(const struct credkit_shacrypt_kernels *kernels, const uint8_t *text, size_t length, size_t times,
                          uint8_t *sequence) {
    const size_t size = shacrypt_digest_size(kernels);
    uint8_t digest[DIGEST];
    struct shacrypt_hash hash;
    shacrypt_hash_begin(&hash, kernels);
    for (size_t time = 0; time < times; time++) shacrypt_hash_add(&hash, text, length);
    shacrypt_hash_end(&hash, digest);
    for (size_t n = 0; n < length; n++) sequence[n] = digest[n % size];
    explicit_bzero(digest, sizeof digest);
}

/// Makes a message, with zeros in the place of the digest.
static void make_message(const struct credkit_shacrypt_kernels *kernels, struct credkit_shacrypt_lane *lane, unsigned message,
                         const struct sequences *sequences, const struct credkit_shacrypt_input *input) {
    const size_t length = input->password_length, size = shacrypt_digest_size(kernels);
    uint8_t *const start = lane->messages.bytes[message], *end = start;
    const int is_odd = (message & SHACRYPT_ODD) != 0;
    if (is_odd) {
        end = mempcpy(end, sequences->password, length);
    } else {
        lane->places[message] = 0;
        end += size;
    }
    if (message & SHACRYPT_SALTED) end = mempcpy(end, sequences->salt, input->salt_length);
    if (message & SHACRYPT_TWICE) end = mempcpy(end, sequences->password, length);
    if (is_odd) {
        lane->places[message] = (uint8_t)(end - start);
        end += size;
    } else {
        end = mempcpy(end, sequences->password, length);
    }
    lane->block_counts[message] = (uint8_t)shacrypt_pad(kernels, start, (size_t)(end - start));
}

void credkit_shacrypt_prepare(const struct credkit_shacrypt_kernels *kernels, struct credkit_shacrypt_lane *lane,
                              const struct credkit_shacrypt_input *input) {
    struct sequences sequences;
    uint8_t first[DIGEST];
    memset(lane, 0, sizeof *lane);
    hash_first(kernels, input, first);
    make_sequence(kernels, input->password, input->password_length, input->password_length, sequences.password);
    // The specification lets the time depend on this byte.
    size_t times = (size_t)16 + first[0];
    CREDKIT_DECLASSIFY(times);
    make_sequence(kernels, input->salt, input->salt_length, times, sequences.salt);
    for (unsigned message = 0; message < 8; message++) make_message(kernels, lane, message, &sequences, input);
    lane->rounds = input->rounds;
    shacrypt_choose_message(lane);
    shacrypt_get_digest(kernels, first, &lane->state);
    if (kernels->variant == CREDKIT_SHA512_CRYPT) {
        sha512_begin_round(lane, lane->state.words);
    } else {
        sha256_begin_round(lane, lane->state.halves);
    }
    explicit_bzero(&sequences, sizeof sequences);
    explicit_bzero(first, sizeof first);
    wipe_stack();
}

void credkit_shacrypt_advance(const struct credkit_shacrypt_kernels *kernels, struct credkit_shacrypt_lane *const *lanes,
                              size_t count, size_t blocks) {
    kernels->advance(lanes, count, blocks);
    wipe_stack();
}

void credkit_shacrypt_finish(const struct credkit_shacrypt_kernels *kernels, struct credkit_shacrypt_lane *lane,
                             uint8_t *digest) {
    const size_t size = shacrypt_digest_size(kernels), third = size / 3;
    uint8_t bytes[DIGEST];
    shacrypt_put_digest(kernels, &lane->state, bytes);
    // One byte from each third, the thirds in another order each time. SHA-256 changes the order in the other direction.
    for (size_t n = 0; n < third; n++) {
        const size_t turn = kernels->variant == CREDKIT_SHA512_CRYPT ? n % 3 : (3 - n % 3) % 3;
        for (size_t part = 0; part < 3; part++) digest[3 * n + 2 - part] = bytes[n + (turn + part) % 3 * third];
    }
    for (size_t n = 3 * third; n < size; n++) digest[n] = bytes[n];
    explicit_bzero(bytes, sizeof bytes);
    credkit_shacrypt_wipe(lane);
    wipe_stack();
}

void credkit_shacrypt_wipe(struct credkit_shacrypt_lane *lane) { explicit_bzero(lane, sizeof *lane); }

int credkit_shacrypt_derive(const struct credkit_shacrypt_kernels *kernels, const struct credkit_shacrypt_input *inputs,
                            size_t count, uint8_t *digests, const int *is_cancelled) {
    struct credkit_shacrypt_lane lanes[LANES], *pointers[LANES];
    for (size_t lane = 0; lane < count; lane++) {
        pointers[lane] = &lanes[lane];
        credkit_shacrypt_prepare(kernels, &lanes[lane], &inputs[lane]);
    }
    int status = CREDKIT_SHACRYPT_DONE;
    for (size_t done = 0; done < count && status == CREDKIT_SHACRYPT_DONE;) {
        if (__atomic_load_n(is_cancelled, __ATOMIC_RELAXED)) {
            status = CREDKIT_SHACRYPT_CANCELLED;
        } else {
            credkit_shacrypt_advance(kernels, pointers, count, BLOCKS_AT_ONCE);
            for (done = 0; done < count && credkit_shacrypt_is_done(&lanes[done]); done++) {}
        }
    }
    for (size_t lane = 0; lane < count; lane++) {
        if (status == CREDKIT_SHACRYPT_DONE) {
            credkit_shacrypt_finish(kernels, &lanes[lane], digests + lane * shacrypt_digest_size(kernels));
        } else {
            credkit_shacrypt_wipe(&lanes[lane]);
        }
    }
    return status;
}
