// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// MD5 in lanes: the kernels themselves, and the padding.
#include "kernel_test.h"

#define LANES CREDKIT_MD5_LANES
/// The maximum number of blocks per call and lane.
#define BLOCKS 16

void random_start(uint32_t state[4], uint64_t *length) {
    *length = 0;
    memcpy(state, md5_start, 16);
    if (random_below(2) == 0) { return; }
    random_fill((uint8_t *)state, 16);
    // Lengths up to more bits than a 64-bit counter holds.
    *length = (random_word() >> random_below(64)) / 64 * 64;
}

static void check_blocks(const struct credkit_kernels *kernels, size_t lanes, size_t count) {
    // Words need only an address that is a multiple of 4; a guard page follows the states.
    static struct guarded memory;
    if (memory.memory == NULL) { memory = guarded_make(sizeof(uint32_t[4][LANES])); }
    uint32_t(*states)[LANES] = (void *)guarded_at(&memory, sizeof(uint32_t[4][LANES]), (struct place){AT_END, 0});
    if (random_below(2) == 0) { states = (void *)(memory.memory + 4 * random_below(16)); }
    const uint8_t *blocks[LANES];
    uint32_t expected[LANES][4];
    now.kernels = kernels->name;
    now.length = 64 * count;
    for (size_t lane = 0; lane < LANES; lane++) {
        random_fill((uint8_t *)expected[lane], 16);
        for (int word = 0; word < 4; word++) { states[word][lane] = expected[lane][word]; }
        // Unused lanes have no blocks.
        blocks[lane] = untouchable();
        if (lane >= lanes) { continue; }
        const struct guarded *guarded = message_memory(lane);
        uint8_t *message = guarded_at(guarded, 64 * count, random_place());
        random_fill(message, 64 * count);
        oracle_md5_blocks(expected[lane], message, count);
        guarded_close(guarded, message, 64 * count);
        blocks[lane] = message;
    }
    kernels->md5_blocks(states, blocks, lanes, count);
    for (size_t lane = 0; lane < lanes; lane++) { guarded_open(message_memory(lane)); }
    for (size_t lane = 0; lane < lanes; lane++) {
        for (int word = 0; word < 4; word++) {
            CHECK(states[word][lane] == expected[lane][word], "word %d of lane %zu of %zu is wrong", word, lane, lanes);
        }
    }
}

void test_md5_blocks(size_t inputs) {
    now = (struct situation){.test = "blocks of MD5", .call = "md5_blocks"};
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

/// One message, in pieces of any lengths at any places.
void test_md5_pieces(size_t inputs) {
    now = (struct situation){.test = "pieces of a message for MD5", .kernels = "all", .call = "md5_update"};
    enum { LONGEST_MESSAGE = 512, LONGEST_PIECE = 200 };
    static struct guarded memory;
    if (memory.memory == NULL) { memory = guarded_make(LONGEST_PIECE); }
    for (size_t input = 0; input < inputs; input++) {
        uint8_t message[LONGEST_MESSAGE], digest[16], expected[16];
        const size_t length = random_below(LONGEST_MESSAGE + 1);
        struct credkit_md5 state;
        random_start(state.words, &state.length);
        random_fill(message, length);
        random_fill(state.rest, sizeof state.rest);
        oracle_md5(state.words, state.length, message, length, expected);
        now.length = length;
        for (size_t done = 0; done < length;) {
            size_t count = random_below(LONGEST_PIECE + 1);
            if (count > length - done) { count = length - done; }
            uint8_t *piece = guarded_at(&memory, count, random_place());
            memcpy(piece, message + done, count);
            credkit_md5_update(&state, count == 0 ? NULL : piece, count);
            done += count;
        }
        credkit_md5_end(&state, digest);
        CHECK(memcmp(digest, expected, 16) == 0, "the digest is wrong");
    }
}

static const struct credkit_kernels *kernels;
static uint32_t start[4];
static uint64_t start_length;

static void hash_short(const struct batch *batch, uint8_t *digests) {
    kernels->md5_short(start, start_length, batch->messages, batch->count, digests);
}

void test_md5_short(size_t inputs) {
    static struct batch batch;
    now = (struct situation){.test = "short messages for MD5", .call = "md5_short"};
    for (size_t done = 0, round = 0; done < inputs; done += batch.count, round++) {
        uint8_t expected[BATCH * 16];
        batch_make(&batch, round <= BATCH ? round : random_below(BATCH + 1), 55);
        random_start(start, &start_length);
        for (size_t index = 0; index < batch.count; index++) {
            oracle_md5(start, start_length, batch.messages[index].bytes, batch.messages[index].length,
                       expected + 16 * index);
        }
        for (size_t index = 0; index < tested_count; index++) {
            kernels = tested[index];
            now.kernels = kernels->name;
            batch_check(&batch, hash_short, expected);
        }
    }
}

static uint8_t digests_before[BATCH * 16];

static void hash_digests(const struct batch *batch, uint8_t *digests) {
    memcpy(digests, digests_before, batch->count * 16);
    kernels->md5_of_digests(start, start_length, digests, batch->count);
}

void test_md5_of_digests(size_t inputs) {
    static struct batch batch;
    now = (struct situation){.test = "digests for MD5", .call = "md5_of_digests"};
    for (size_t done = 0, round = 0; done < inputs; done += batch.count, round++) {
        uint8_t expected[BATCH * 16];
        // Only the number of messages matters here.
        batch_make(&batch, round <= BATCH ? round : random_below(BATCH + 1), 0);
        random_start(start, &start_length);
        random_fill(digests_before, sizeof digests_before);
        for (size_t index = 0; index < batch.count; index++) {
            oracle_md5(start, start_length, digests_before + 16 * index, 16, expected + 16 * index);
        }
        for (size_t index = 0; index < tested_count; index++) {
            kernels = tested[index];
            now.kernels = kernels->name;
            batch_check(&batch, hash_digests, expected);
        }
    }
}
