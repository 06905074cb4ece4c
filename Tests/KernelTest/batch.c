// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Batches of messages for MD5, each message in memory with separate guard pages.
#include "kernel_test.h"

static struct guarded messages_memory[BATCH];
static struct guarded digests_memory;

const struct guarded *message_memory(size_t index) {
    if (messages_memory[index].memory == NULL) { messages_memory[index] = guarded_make(LONGEST + 1024); }
    return &messages_memory[index];
}

/// Returns a message length: any, or one around a multiple of the block size, where the padding changes.
static size_t random_length(void) {
    static const size_t edges[] = {0,   1,   55,  56,  57,  63,  64,  65,  119, 120,
                                   121, 127, 128, 129, 183, 184, 191, 192, 4096};
    return random_below(4) == 0 ? edges[random_below(sizeof edges / sizeof edges[0])] : random_below(LONGEST + 1);
}

void batch_make(struct batch *batch, size_t count, size_t longest) {
    // Equal lengths, as in tables; short messages, like passwords; long ones among short ones; or any.
    size_t kind = random_below(4), common = random_length();
    batch->count = count;
    for (size_t index = 0; index < count; index++) {
        size_t length = kind == 0 ? common : kind == 1 || (kind == 2 && random_below(5) > 0) ? random_below(56)
                                                                                             : random_length();
        if (length > longest) { length = random_below(longest + 1); }
        const struct guarded *memory = message_memory(index);
        uint8_t *bytes = guarded_at(memory, length, random_place());
        random_fill(bytes, length);
        // An empty message may have a null pointer.
        batch->messages[index] =
            (struct credkit_md5_message){length == 0 && random_below(2) == 0 ? NULL : bytes, length};
    }
}

void batch_check(struct batch *batch, void (*hash)(const struct batch *batch, uint8_t *digests),
                 const uint8_t *expected) {
    size_t count = batch->count;
    if (digests_memory.memory == NULL) { digests_memory = guarded_make(BATCH * 16 + 1024); }
    uint8_t *digests = guarded_at(&digests_memory, count * 16, random_place());
    uint8_t canary = (uint8_t)random_word();
    canary_put(&digests_memory, digests, count * 16, canary);
    for (size_t index = 0; index < count; index++) {
        const struct credkit_md5_message *message = &batch->messages[index];
        if (message->bytes != NULL) { guarded_close(message_memory(index), message->bytes, message->length); }
    }
    guarded_close(&digests_memory, digests, count * 16);
    now.length = count;
    hash(batch, digests);
    guarded_open(&digests_memory);
    for (size_t index = 0; index < count; index++) { guarded_open(message_memory(index)); }
    for (size_t index = 0; index < count; index++) {
        CHECK(memcmp(digests + 16 * index, expected + 16 * index, 16) == 0,
              "the digest of message %zu of %zu, %zu bytes, is wrong", index, count, batch->messages[index].length);
    }
    canary_check(&digests_memory, digests, count * 16, count * 16, canary);
}
