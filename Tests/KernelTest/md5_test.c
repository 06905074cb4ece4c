// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// MD5 over lanes: blocks, padding, and batches of messages of different lengths.
#include "kernel_test.h"

#define LANES CREDKIT_MD5_LANES
/// The most messages of a batch.
#define BATCH 100
/// The most blocks that a lane is fed at once.
#define BLOCKS 16

/// Memory for one message each.
static struct guarded messages_memory[BATCH];
static struct guarded digests_memory;

static void prepare(void) {
    if (digests_memory.memory != NULL) { return; }
    for (size_t index = 0; index < BATCH; index++) { messages_memory[index] = guarded_make(LONGEST + 1024); }
    digests_memory = guarded_make(BATCH * 16 + 1024);
}

static void random_state(uint32_t state[4]) { random_fill((uint8_t *)state, 16); }

static void check_blocks(const struct credkit_kernels *kernels, size_t lanes, size_t count) {
    // Words need an address that is a multiple of 4 and no more; behind the states is a guard page.
    static struct guarded memory;
    if (memory.memory == NULL) { memory = guarded_make(sizeof(uint32_t[4][LANES])); }
    uint32_t(*states)[LANES] = (void *)guarded_at(&memory, sizeof(uint32_t[4][LANES]), (struct place){AT_END, 0});
    if (random_below(2) == 0) { states = (void *)(memory.memory + 4 * random_below(16)); }
    const uint8_t *blocks[LANES];
    uint32_t expected[LANES][4];
    now.kernels = kernels->name;
    now.length = 64 * count;
    for (size_t lane = 0; lane < LANES; lane++) {
        random_state(expected[lane]);
        for (int word = 0; word < 4; word++) { states[word][lane] = expected[lane][word]; }
        // Lanes that are not used have no blocks.
        blocks[lane] = untouchable();
        if (lane >= lanes) { continue; }
        const struct guarded *guarded = &messages_memory[lane];
        uint8_t *message = guarded_at(guarded, 64 * count, random_place());
        random_fill(message, 64 * count);
        oracle_md5_blocks(expected[lane], message, count);
        guarded_close(guarded, message, 64 * count);
        blocks[lane] = message;
    }
    kernels->md5_blocks(states, blocks, lanes, count);
    for (size_t lane = 0; lane < lanes; lane++) {
        guarded_open(&messages_memory[lane]);
        for (int word = 0; word < 4; word++) {
            CHECK(states[word][lane] == expected[lane][word], "word %d of lane %zu of %zu is wrong", word, lane, lanes);
        }
    }
}

void test_md5_blocks(size_t inputs) {
    now = (struct situation){.test = "blocks of MD5", .call = "md5_blocks"};
    prepare();
    for (size_t index = 0; index < tested_count; index++) {
        for (size_t lanes = 1; lanes <= LANES; lanes++) {
            for (size_t count = 0; count <= BLOCKS; count++) { check_blocks(tested[index], lanes, count); }
        }
        // About eight lanes each.
        for (size_t input = 0; input < inputs / 8; input++) {
            check_blocks(tested[index], 1 + random_below(LANES), random_below(BLOCKS + 1));
        }
    }
}

void test_md5_padding(void) {
    now = (struct situation){.test = "padding of MD5", .kernels = "all", .call = "md5_pad"};
    struct guarded memory = guarded_make(1);
    uint8_t *tail = guarded_at(&memory, 128, (struct place){AT_END, 0});
    for (size_t used = 0; used < 64; used++) {
        for (int bits = 0; bits < 64; bits++) {
            uint64_t length = (random_word() >> bits) / 64 * 64 + used;
            uint8_t expected[128] = {0};
            random_fill(expected, used);
            random_fill(tail, 128);
            memcpy(tail, expected, used);
            expected[used] = 0x80;
            size_t blocks = used < 56 ? 1 : 2;
            for (int byte = 0; byte < 8; byte++) {
                expected[64 * blocks - 8 + (size_t)byte] = (uint8_t)((length * 8) >> (8 * byte));
            }
            now.length = used;
            CHECK(credkit_md5_pad(tail, used, length) == blocks, "the number of blocks is wrong");
            CHECK(memcmp(tail, expected, 64 * blocks) == 0, "the padding is wrong");
        }
    }
}

/// A length of a message: any, or one around a multiple of the block where the padding changes.
static size_t random_length(void) {
    static const size_t edges[] = {0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 121, 127, 128, 129, 183, 184, 191, 192, 4096};
    return random_below(4) == 0 ? edges[random_below(sizeof edges / sizeof edges[0])] : random_below(LONGEST + 1);
}

/// Fills a batch with messages and returns their number.
static size_t make_batch(struct credkit_md5_message messages[BATCH], size_t count) {
    // A quarter of the batches has messages of one length, as tables do.
    size_t common = random_below(4) == 0 ? random_length() : SIZE_MAX;
    for (size_t index = 0; index < count; index++) {
        size_t length = common != SIZE_MAX ? common : random_length();
        uint8_t *bytes = guarded_at(&messages_memory[index], length, random_place());
        random_fill(bytes, length);
        guarded_close(&messages_memory[index], bytes, length);
        // Nothing may stand nowhere.
        messages[index] = (struct credkit_md5_message){length == 0 && random_below(2) == 0 ? NULL : bytes, length};
    }
    return count;
}

static void open_batch(size_t count) {
    for (size_t index = 0; index < count; index++) { guarded_open(&messages_memory[index]); }
    guarded_open(&digests_memory);
}

/// The batches go through the kernels that were chosen.
static void choose(const struct credkit_kernels *kernels) {
    now.kernels = kernels->name;
    __atomic_store_n(&credkit_chosen_kernels, kernels, __ATOMIC_RELEASE);
}

void test_md5_batches(size_t inputs) {
    struct credkit_md5_message messages[BATCH];
    now = (struct situation){.test = "batches of MD5", .call = "md5_batch"};
    prepare();
    for (size_t done = 0, round = 0; done < inputs; round++) {
        // Every size first, then random ones.
        size_t count = make_batch(messages, round <= BATCH ? round : random_below(BATCH + 1));
        done += count;
        uint32_t start[4];
        memcpy(start, credkit_md5_start, sizeof start);
        uint64_t start_length = 0;
        if (random_below(4) == 0) {
            random_state(start);
            // Up to more bits than 64 bits can count.
            start_length = (random_word() >> random_below(64)) / 64 * 64;
        }
        uint8_t expected[BATCH * 16];
        now.length = count;
        open_batch(count);
        for (size_t index = 0; index < count; index++) {
            oracle_md5(start, start_length, messages[index].bytes, messages[index].length, expected + 16 * index);
        }
        for (size_t index = 0; index < tested_count; index++) {
            choose(tested[index]);
            uint8_t *digests = guarded_at(&digests_memory, count * 16, random_place());
            uint8_t canary = (uint8_t)random_word();
            canary_put(&digests_memory, digests, count * 16, canary);
            for (size_t each = 0; each < count; each++) {
                if (messages[each].bytes == NULL) { continue; }
                guarded_close(&messages_memory[each], messages[each].bytes, messages[each].length);
            }
            guarded_close(&digests_memory, digests, count * 16);
            credkit_md5_batch(start, start_length, messages, count, digests);
            open_batch(count);
            for (size_t each = 0; each < count; each++) {
                CHECK(memcmp(digests + 16 * each, expected + 16 * each, 16) == 0,
                      "the digest of message %zu of %zu, %zu bytes, is wrong", each, count, messages[each].length);
            }
            canary_check(&digests_memory, digests, count * 16, count * 16, canary);
        }
    }
}

/// The states behind a padded key, as RFC 2104 has it.
static void prepare_key(const uint8_t *key, size_t length, uint32_t inner[4], uint32_t outer[4]) {
    uint8_t block[64] = {0}, digest[16];
    if (length > 64) {
        oracle_md5(credkit_md5_start, 0, key, length, digest);
        key = digest;
        length = 16;
    }
    memcpy(block, key, length);
    for (int index = 0; index < 64; index++) { block[index] ^= 0x36; }
    memcpy(inner, credkit_md5_start, 16);
    oracle_md5_blocks(inner, block, 1);
    for (int index = 0; index < 64; index++) { block[index] ^= 0x36 ^ 0x5C; }
    memcpy(outer, credkit_md5_start, 16);
    oracle_md5_blocks(outer, block, 1);
}

void test_hmac_batches(size_t inputs) {
    struct credkit_md5_message messages[BATCH];
    now = (struct situation){.test = "batches of HMAC-MD5", .call = "hmac_md5_batch"};
    prepare();
    for (size_t done = 0, round = 0; done < inputs; round++) {
        size_t count = make_batch(messages, round <= BATCH ? round : random_below(BATCH + 1));
        done += count;
        uint8_t key[200], expected[BATCH * 16];
        size_t key_length = random_below(sizeof key + 1);
        random_fill(key, key_length);
        uint32_t inner[4], outer[4];
        prepare_key(key, key_length, inner, outer);
        now.length = count;
        open_batch(count);
        for (size_t index = 0; index < count; index++) {
            // HMAC() takes no message at NULL.
            const uint8_t *bytes = messages[index].bytes != NULL ? messages[index].bytes : key;
            oracle_hmac(key, key_length, bytes, messages[index].length, expected + 16 * index);
        }
        for (size_t index = 0; index < tested_count; index++) {
            choose(tested[index]);
            uint8_t *digests = guarded_at(&digests_memory, count * 16, random_place());
            uint8_t canary = (uint8_t)random_word();
            canary_put(&digests_memory, digests, count * 16, canary);
            for (size_t each = 0; each < count; each++) {
                if (messages[each].bytes == NULL) { continue; }
                guarded_close(&messages_memory[each], messages[each].bytes, messages[each].length);
            }
            guarded_close(&digests_memory, digests, count * 16);
            credkit_hmac_md5_batch(inner, outer, messages, count, digests);
            open_batch(count);
            for (size_t each = 0; each < count; each++) {
                CHECK(memcmp(digests + 16 * each, expected + 16 * each, 16) == 0,
                      "the code of message %zu of %zu, %zu bytes, is wrong", each, count, messages[each].length);
            }
            canary_check(&digests_memory, digests, count * 16, count * 16, canary);
        }
    }
}
