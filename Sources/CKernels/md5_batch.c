// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Keeps the lanes of the MD5 kernels busy with messages of different lengths: when the message of a lane ends, the
// lane continues with the next message.
#include <string.h>

#include "CCredKitKernels.h"
#include "md5_padding.h"

enum { LANES = CREDKIT_MD5_LANES, BLOCK = 64, DIGEST = 16 };

size_t credkit_md5_pad(uint8_t tail[128], size_t used, uint64_t length) {
    memset(tail + used, 0, 2 * BLOCK - used);
    return end_tail(tail, used, length);
}

const uint32_t *credkit_md5_start(void) {
    static const uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    return start;
}

/// The lanes. Those below `used` are busy.
struct lanes {
    size_t used;
    uint32_t states[4][LANES];
    /// The next block of each lane, and the number of contiguous blocks from there on.
    const uint8_t *blocks[LANES];
    size_t counts[LANES];
    /// The message of each lane, and its bytes behind the last whole block; NULL if the lane is in its tail.
    size_t messages[LANES];
    const uint8_t *rests[LANES];
    /// The index of the tail that belongs to each lane.
    uint8_t places[LANES];
    uint8_t tails[LANES][2 * BLOCK];
};

static inline void begin_tail(struct lanes *lanes, size_t lane, const uint8_t *rest, size_t length,
                              uint64_t start_length) {
    uint8_t *tail = lanes->tails[lanes->places[lane]];
    const size_t used = length % BLOCK;
    memset(tail, 0, used <= MD5_MOST_IN_LAST_BLOCK ? BLOCK : 2 * BLOCK);
    copy_short(tail, rest, used);
    lanes->counts[lane] = end_tail(tail, used, start_length + length);
    lanes->blocks[lane] = tail;
    lanes->rests[lane] = NULL;
}

static inline void begin(struct lanes *lanes, size_t lane, const uint32_t start[4], uint64_t start_length,
                         const struct credkit_md5_message *message, size_t index) {
    for (int word = 0; word < 4; word++) lanes->states[word][lane] = start[word];
    lanes->messages[lane] = index;
    const size_t whole = message->length / BLOCK;
    if (whole == 0) {
        begin_tail(lanes, lane, message->bytes, message->length, start_length);
    } else {
        lanes->blocks[lane] = message->bytes;
        lanes->counts[lane] = whole;
        lanes->rests[lane] = message->bytes + whole * BLOCK;
    }
}

/// Moves the last lane to the place of one that has finished.
static inline void end(struct lanes *lanes, size_t lane) {
    const size_t last = --lanes->used;
    const uint8_t place = lanes->places[lane];
    for (int word = 0; word < 4; word++) lanes->states[word][lane] = lanes->states[word][last];
    lanes->blocks[lane] = lanes->blocks[last];
    lanes->counts[lane] = lanes->counts[last];
    lanes->messages[lane] = lanes->messages[last];
    lanes->rests[lane] = lanes->rests[last];
    lanes->places[lane] = lanes->places[last];
    lanes->places[last] = place;
}

/// Hashes messages of any lengths.
static void hash_lanes(const struct credkit_kernels *kernels, const uint32_t start[4], uint64_t start_length,
                       const struct credkit_md5_message *messages, size_t count, uint8_t *digests) {
    struct lanes lanes;
    size_t next = 0;
    const size_t most = count < LANES ? count : LANES;
    for (lanes.used = 0; lanes.used < most; lanes.used++, next++) {
        lanes.places[lanes.used] = (uint8_t)lanes.used;
        begin(&lanes, lanes.used, start, start_length, &messages[next], next);
    }
    while (lanes.used > 0) {
        size_t steps = lanes.counts[0];
        for (size_t lane = 1; lane < lanes.used; lane++) {
            if (lanes.counts[lane] < steps) steps = lanes.counts[lane];
        }
        kernels->md5_blocks(lanes.states, lanes.blocks, lanes.used, steps);
        // Backwards, so that the lane that replaces a finished one has already been handled.
        for (size_t lane = lanes.used; lane-- > 0;) {
            lanes.blocks[lane] += steps * BLOCK;
            lanes.counts[lane] -= steps;
            if (lanes.counts[lane] > 0) continue;
            const size_t message = lanes.messages[lane];
            if (lanes.rests[lane] != NULL) {
                begin_tail(&lanes, lane, lanes.rests[lane], messages[message].length, start_length);
                continue;
            }
            for (int word = 0; word < 4; word++) {
                memcpy(digests + message * DIGEST + 4 * word, &lanes.states[word][lane], 4);
            }
            if (next < count) {
                begin(&lanes, lane, start, start_length, &messages[next], next);
                next++;
            } else {
                end(&lanes, lane);
            }
        }
    }
    wipe(lanes.states, sizeof lanes.states);
    wipe(lanes.tails, most * sizeof lanes.tails[0]);
}

void credkit_md5_batch(const uint32_t start[4], uint64_t start_length, const struct credkit_md5_message *messages,
                       size_t count, uint8_t *digests) {
    const struct credkit_kernels *kernels = credkit_kernels_get();
    while (count > 0) {
        // Messages of one block, such as passwords, do not need this scheduling.
        size_t run = 0;
        while (run < count && messages[run].length <= MD5_MOST_IN_LAST_BLOCK) run++;
        if (run > 0) {
            kernels->md5_short(start, start_length, messages, run, digests);
        } else {
            while (run < count && (messages[run].length > MD5_MOST_IN_LAST_BLOCK || run % LANES != 0)) run++;
            hash_lanes(kernels, start, start_length, messages, run, digests);
        }
        messages += run;
        digests += run * DIGEST;
        count -= run;
    }
}
