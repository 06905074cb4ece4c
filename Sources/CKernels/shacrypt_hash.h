// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-256 or SHA-512 of a message in pieces, with the kernels of SHA-crypt, for what precedes the rounds.
#ifndef CREDKIT_SHACRYPT_HASH_H
#define CREDKIT_SHACRYPT_HASH_H

#include <string.h>

#include "CCredKitSHACrypt.h"
#include "shacrypt_rounds.h"
#include "word_lanes.h"

struct shacrypt_hash {
    const struct credkit_shacrypt_kernels *kernels;
    union credkit_shacrypt_state state;
    size_t length;
    /// The bytes of an unfinished block, with room for the padding of a message.
    union {
        uint8_t bytes[256];
        uint64_t words[32];
    } block;
};

static inline size_t shacrypt_digest_size(const struct credkit_shacrypt_kernels *kernels) {
    return kernels->variant == CREDKIT_SHA512_CRYPT ? 64 : 32;
}

static inline size_t shacrypt_block_size(const struct credkit_shacrypt_kernels *kernels) {
    return 2 * shacrypt_digest_size(kernels);
}

/// Converts bytes to the form of the messages: with SHA-512 to words.
static inline void shacrypt_convert(const struct credkit_shacrypt_kernels *kernels, void *bytes, size_t count) {
    if (kernels->variant != CREDKIT_SHA512_CRYPT) return;
    for (size_t n = 0; n < count; n += 8) {
        uint64_t word;
        memcpy(&word, (uint8_t *)bytes + n, sizeof word);
        word = __builtin_bswap64(word);
        memcpy((uint8_t *)bytes + n, &word, sizeof word);
    }
}

/// Writes the bytes of a digest.
static inline void shacrypt_put_digest(const struct credkit_shacrypt_kernels *kernels,
                                       const union credkit_shacrypt_state *state, uint8_t *digest) {
    for (int n = 0; n < 8; n++) {
        const uint64_t word = __builtin_bswap64(state->words[n]);
        const uint32_t half = __builtin_bswap32(state->halves[n]);
        if (kernels->variant == CREDKIT_SHA512_CRYPT) {
            memcpy(digest + 8 * n, &word, sizeof word);
        } else {
            memcpy(digest + 4 * n, &half, sizeof half);
        }
    }
}

/// Reads the bytes of a digest.
static inline void shacrypt_get_digest(const struct credkit_shacrypt_kernels *kernels, const uint8_t *digest,
                                       union credkit_shacrypt_state *state) {
    // The conversion is its own inverse.
    memcpy(state, digest, shacrypt_digest_size(kernels));
    union credkit_shacrypt_state converted = *state;
    shacrypt_put_digest(kernels, &converted, (uint8_t *)state);
    explicit_bzero(&converted, sizeof converted);
}

/// Pads a message whose last block, which `bytes` contains, is followed by zeros; `before` bytes precede. Converts all of it.
/// Returns the number of blocks from `bytes` on.
static inline size_t shacrypt_pad_end(const struct credkit_shacrypt_kernels *kernels, uint8_t *bytes, size_t count,
                                      size_t before) {
    const size_t block = shacrypt_block_size(kernels);
    // A bit, and the length, which takes an eighth of a block.
    const size_t blocks = (count + 1 + block / 8 + block - 1) / block;
    const uint64_t bits = __builtin_bswap64((uint64_t)(before + count) * 8);
    bytes[count] = 0x80;
    memcpy(bytes + blocks * block - sizeof bits, &bits, sizeof bits);
    shacrypt_convert(kernels, bytes, blocks * block);
    return blocks;
}

/// Pads a whole message, which zeros follow. Returns the number of its blocks.
static inline size_t shacrypt_pad(const struct credkit_shacrypt_kernels *kernels, uint8_t *message, size_t count) {
    return shacrypt_pad_end(kernels, message, count, 0);
}

static inline void shacrypt_hash_begin(struct shacrypt_hash *hash, const struct credkit_shacrypt_kernels *kernels) {
    memset(hash, 0, sizeof *hash);
    hash->kernels = kernels;
    if (kernels->variant == CREDKIT_SHA512_CRYPT) {
        memcpy(hash->state.words, sha512_start, sizeof sha512_start);
    } else {
        memcpy(hash->state.halves, sha256_start, sizeof sha256_start);
    }
}

static inline void shacrypt_hash_add(struct shacrypt_hash *hash, const uint8_t *bytes, size_t count) {
    const size_t size = shacrypt_block_size(hash->kernels);
    while (count > 0) {
        const size_t used = hash->length % size, room = size - used, added = count < room ? count : room;
        memcpy(hash->block.bytes + used, bytes, added);
        hash->length += added;
        bytes += added;
        count -= added;
        if (added < room) continue;
        shacrypt_convert(hash->kernels, hash->block.bytes, size);
        hash->kernels->compress(&hash->state, hash->block.words);
    }
}

/// Writes the digest and wipes the hash.
static inline void shacrypt_hash_end(struct shacrypt_hash *hash, uint8_t *digest) {
    const size_t size = shacrypt_block_size(hash->kernels), used = hash->length % size;
    memset(hash->block.bytes + used, 0, sizeof hash->block - used);
    const size_t blocks = shacrypt_pad_end(hash->kernels, hash->block.bytes, used, hash->length - used);
    for (size_t n = 0; n < blocks; n++) hash->kernels->compress(&hash->state, hash->block.words + n * size / 8);
    shacrypt_put_digest(hash->kernels, &hash->state, digest);
    explicit_bzero(hash, sizeof *hash);
}

#endif
