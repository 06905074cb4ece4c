// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// MD5 and HMAC-MD5 over batches of messages of different lengths.
#include "kernel_test.h"

static uint32_t start[4], outer[4];
static uint64_t start_length;

/// The batches use the kernels that were chosen.
static void choose(const struct credkit_kernels *kernels) {
    now.kernels = kernels->name;
    __atomic_store_n(&credkit_chosen_kernels, kernels, __ATOMIC_RELEASE);
}

static void hash(const struct batch *batch, uint8_t *digests) {
    credkit_md5_batch(start, start_length, batch->messages, batch->count, digests);
}

void test_md5_batches(size_t inputs) {
    static struct batch batch;
    now = (struct situation){.test = "batches of MD5", .call = "md5_batch"};
    for (size_t done = 0, round = 0; done < inputs; done += batch.count, round++) {
        uint8_t expected[BATCH * 16];
        // Every size first, then random ones.
        batch_make(&batch, round <= BATCH ? round : random_below(BATCH + 1), LONGEST);
        random_start(start, &start_length);
        for (size_t index = 0; index < batch.count; index++) {
            oracle_md5(start, start_length, batch.messages[index].bytes, batch.messages[index].length,
                       expected + 16 * index);
        }
        for (size_t index = 0; index < tested_count; index++) {
            choose(tested[index]);
            batch_check(&batch, hash, expected);
        }
    }
}

/// The states after a padded key, as RFC 2104 defines it.
static void prepare_key(const uint8_t *key, size_t length) {
    uint8_t block[64] = {0}, digest[16];
    if (length > 64) {
        oracle_md5(md5_start, 0, key, length, digest);
        key = digest;
        length = 16;
    }
    memcpy(block, key, length);
    for (int index = 0; index < 64; index++) { block[index] ^= 0x36; }
    memcpy(start, md5_start, 16);
    oracle_md5_blocks(start, block, 1);
    for (int index = 0; index < 64; index++) { block[index] ^= 0x36 ^ 0x5C; }
    memcpy(outer, md5_start, 16);
    oracle_md5_blocks(outer, block, 1);
}

static void authenticate(const struct batch *batch, uint8_t *codes) {
    credkit_md5_batch(start, 64, batch->messages, batch->count, codes);
    credkit_md5_of_digests(outer, 64, codes, batch->count);
}

void test_hmac_batches(size_t inputs) {
    static struct batch batch;
    now = (struct situation){.test = "batches of HMAC-MD5", .call = "md5_batch and md5_of_digests"};
    for (size_t done = 0, round = 0; done < inputs; done += batch.count, round++) {
        uint8_t key[200], expected[BATCH * 16];
        size_t key_length = random_below(sizeof key + 1);
        batch_make(&batch, round <= BATCH ? round : random_below(BATCH + 1), LONGEST);
        random_fill(key, key_length);
        prepare_key(key, key_length);
        for (size_t index = 0; index < batch.count; index++) {
            // HMAC() accepts no null message.
            const uint8_t *bytes = batch.messages[index].bytes != NULL ? batch.messages[index].bytes : key;
            oracle_hmac(key, key_length, bytes, batch.messages[index].length, expected + 16 * index);
        }
        for (size_t index = 0; index < tested_count; index++) {
            choose(tested[index]);
            batch_check(&batch, authenticate, expected);
        }
    }
}
