// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares scrypt with libsodium and OpenSSL.
#include "kernel_test.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LANES = CREDKIT_SCRYPT_LANES, LARGEST_LOG_N = 8, LARGEST_R = 20, LONGEST_PASSWORD = 80, LONGEST_SALT = 40 };

static const int never = 0;

/// The inputs of one lane, and what the library makes of them.
struct scrypt_case {
    uint8_t password[LONGEST_PASSWORD], salt[LONGEST_SALT], key[32];
    size_t password_length, salt_length;
};

static void derive(const struct scrypt_case *made, const uint8_t *salt, size_t salt_length, uint8_t *key, size_t length) {
    CHECK(PKCS5_PBKDF2_HMAC((const char *)made->password, (int)made->password_length, salt, (int)salt_length, 1,
                            EVP_sha256(), (int)length, key) == 1,
          "OpenSSL failed");
}

static void make_case(struct scrypt_case *made, uint32_t log_n, uint32_t r) {
    made->password_length = random_below(LONGEST_PASSWORD + 1);
    made->salt_length = random_below(LONGEST_SALT + 1);
    random_fill(made->password, made->password_length);
    random_fill(made->salt, made->salt_length);
    // OpenSSL follows RFC 7914, section 6, in that N is less than 2^(128 r / 8); libsodium in that p is.
    if (random_below(2) == 0 && log_n < 16 * r) {
        CHECK(EVP_PBE_scrypt((const char *)made->password, made->password_length, made->salt, made->salt_length,
                             (uint64_t)1 << log_n, r, 1, (uint64_t)1 << 30, made->key, sizeof made->key) == 1,
              "OpenSSL failed");
    } else {
        CHECK(crypto_pwhash_scryptsalsa208sha256_ll(made->password, made->password_length, made->salt, made->salt_length,
                                                    (uint64_t)1 << log_n, r, 1, made->key, sizeof made->key) == 0,
              "libsodium failed");
    }
}

void test_scrypt_random(size_t inputs) {
    now = (struct situation){.test = "scrypt", .call = "run"};
    CHECK(sodium_init() >= 0, "libsodium");
    struct guarded memories[LANES], blocks[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        memories[lane] = guarded_make(credkit_scrypt_memory_size(LARGEST_LOG_N, LARGEST_R));
        blocks[lane] = guarded_make((size_t)128 * LARGEST_R);
    }
    while (inputs > 0) {
        size_t count = 1 + random_below(LANES);
        if (count > inputs) { count = inputs; }
        inputs -= count;
        const uint32_t log_n = (uint32_t)(1 + random_below(LARGEST_LOG_N));
        const uint32_t r = (uint32_t)(random_below(2) == 0 ? 8 : 1 + random_below(log_n > 5 ? 8 : LARGEST_R));
        const size_t size = credkit_scrypt_memory_size(log_n, r), length = (size_t)128 * r;
        struct scrypt_case made[LANES];
        for (size_t lane = 0; lane < count; lane++) { make_case(&made[lane], log_n, r); }
        for (size_t index = 0; index < tested_scrypt_count; index++) {
            now.kernels = tested_scrypt[index]->name;
            now.length = length;
            struct credkit_scrypt_lane lanes[LANES];
            for (size_t lane = 0; lane < count; lane++) {
                lanes[lane] = (struct credkit_scrypt_lane){
                    // Any alignment.
                    .block = guarded_at(&blocks[lane], length, (struct place){random_below(2) ? AT_START : AT_END, 0}),
                    .memory = guarded_at(&memories[lane], size, (struct place){AT_END, 0}),
                    .is_cancelled = &never,
                    .status = -1,
                };
                derive(&made[lane], made[lane].salt, made[lane].salt_length, lanes[lane].block, length);
                guarded_close(&blocks[lane], lanes[lane].block, length);
                guarded_close(&memories[lane], lanes[lane].memory, size);
            }
            credkit_scrypt_run(tested_scrypt[index], lanes, count, log_n, r);
            for (size_t lane = 0; lane < count; lane++) {
                uint8_t key[32];
                derive(&made[lane], lanes[lane].block, length, key, sizeof key);
                CHECK(lanes[lane].status == CREDKIT_SCRYPT_DONE && memcmp(key, made[lane].key, sizeof key) == 0,
                      "wrong key: lane %zu of %zu, N = 2^%u, r = %u", lane, count, log_n, r);
                guarded_open(&blocks[lane]);
                guarded_open(&memories[lane]);
            }
        }
    }
    for (size_t lane = 0; lane < LANES; lane++) {
        munmap(memories[lane].memory, memories[lane].size);
        munmap(blocks[lane].memory, blocks[lane].size);
    }
    now.kernels = NULL;
}

/// A kernel during which lanes are cancelled at known steps.
static const struct credkit_scrypt_kernels *interrupted;
static int slice, at_slice[LANES], cancelled[LANES];
/// The most sub-blocks of a lane in one slice.
static uint64_t longest_slice;

static void count_slice(uint64_t sub_blocks) {
    slice++;
    if (sub_blocks > longest_slice) { longest_slice = sub_blocks; }
    for (size_t lane = 0; lane < LANES; lane++) {
        if (slice == at_slice[lane]) { cancelled[lane] = 1; }
    }
}

static void fill_interrupted(uint8_t *const *memories, size_t lanes, size_t r, uint32_t first, uint32_t end) {
    interrupted->fill(memories, lanes, r, first, end);
    count_slice(2 * r * (end - first));
}

static void mix_interrupted(uint8_t *const *memories, size_t lanes, size_t r, uint32_t n, uint32_t steps) {
    interrupted->mix(memories, lanes, r, n, steps);
    count_slice(2 * r * steps);
}

/// Counts what is computed after a cancellation: a time would depend on what else the machine does.
void test_scrypt_cancellation(void) {
    now = (struct situation){.test = "scrypt cancellation", .call = "run"};
    // Blocks of 1 KiB in slices of 8,192 sub-blocks, and the largest ones in slices of two steps.
    static const struct { uint32_t log_n; size_t r; uint64_t sub_blocks; } sizes[] = {
        {12, 8, 8192}, {4, CREDKIT_SCRYPT_LARGEST_BLOCK, 2 * 2 * CREDKIT_SCRYPT_LARGEST_BLOCK}};
    for (size_t size = 0; size < 2; size++) {
        const size_t r = sizes[size].r, memory_size = credkit_scrypt_memory_size(sizes[size].log_n, r);
        uint8_t *memory = credkit_arena_map(memory_size), *block = calloc(1, 128 * r);
        CHECK(memory != NULL && block != NULL, "memory");
        for (size_t index = 0; index < tested_scrypt_count; index++) {
            interrupted = tested_scrypt[index];
            struct credkit_scrypt_kernels kernels = *interrupted;
            kernels.fill = fill_interrupted, kernels.mix = mix_interrupted;
            now.kernels = kernels.name;
            // In the first loop, after it, and in the second one.
            for (at_slice[0] = 1; at_slice[0] < 16; at_slice[0] += 7) {
                slice = 0, longest_slice = 0, cancelled[0] = 0;
                struct credkit_scrypt_lane lane = {block, memory, &cancelled[0], -1};
                credkit_scrypt_run(&kernels, &lane, 1, sizes[size].log_n, r);
                CHECK(lane.status == CREDKIT_SCRYPT_CANCELLED && slice == at_slice[0], "it ended after %d slices, not %d",
                      slice, at_slice[0]);
                CHECK(longest_slice <= sizes[size].sub_blocks, "%zu sub-blocks in one slice", (size_t)longest_slice);
            }
        }
        credkit_arena_unmap(memory, memory_size);
        free(block);
    }
    now.kernels = NULL;
}

void test_scrypt_other_lanes(void) {
    now = (struct situation){.test = "scrypt lanes", .call = "run"};
    enum { LOG_N = 13, R = 4, SIZE = 128 * R, SLICES = 16 };
    const size_t memory_size = credkit_scrypt_memory_size(LOG_N, R);
    uint8_t *memory = credkit_arena_map(LANES * memory_size), blocks[LANES][SIZE], expected[LANES][SIZE];
    CHECK(memory != NULL, "memory");
    struct credkit_scrypt_lane lanes[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        random_fill(blocks[lane], SIZE);
        memcpy(expected[lane], blocks[lane], SIZE);
        lanes[0] = (struct credkit_scrypt_lane){expected[lane], memory, &never, -1};
        credkit_scrypt_run(&credkit_scrypt_portable, lanes, 1, LOG_N, R);
    }
    for (size_t index = 0; index < tested_scrypt_count; index++) {
        interrupted = tested_scrypt[index];
        struct credkit_scrypt_kernels kernels = *interrupted;
        kernels.fill = fill_interrupted, kernels.mix = mix_interrupted;
        now.kernels = kernels.name;
        for (int round = 0; round < 8; round++) {
            uint8_t mixed[LANES][SIZE];
            memcpy(mixed, blocks, sizeof mixed);
            slice = 0;
            for (size_t lane = 0; lane < LANES; lane++) {
                cancelled[lane] = 0;
                // Half of them never, others before the start, or after one of the slices.
                at_slice[lane] = random_below(2) == 0 ? SLICES + 1 : (int)random_below(SLICES);
                cancelled[lane] = at_slice[lane] == 0;
                lanes[lane] = (struct credkit_scrypt_lane){mixed[lane], memory + lane * memory_size, &cancelled[lane], -1};
            }
            credkit_scrypt_run(&kernels, lanes, LANES, LOG_N, R);
            for (size_t lane = 0; lane < LANES; lane++) {
                const bool is_done = at_slice[lane] > SLICES;
                CHECK(lanes[lane].status == (is_done ? CREDKIT_SCRYPT_DONE : CREDKIT_SCRYPT_CANCELLED),
                      "lane %zu has the status %d", lane, lanes[lane].status);
                CHECK(memcmp(mixed[lane], is_done ? expected[lane] : blocks[lane], SIZE) == 0, "lane %zu is wrong", lane);
            }
        }
    }
    credkit_arena_unmap(memory, LANES * memory_size);
}

/// A computation on a stack of its own.
struct on_stack {
    const struct credkit_scrypt_kernels *kernels;
    struct credkit_scrypt_lane lanes[LANES];
    size_t lane_count;
    /// The stack, and what it holds below this thread's first function afterwards.
    const uint8_t *stack;
    uint8_t *left;
    size_t count;
};

static void *run_on_stack(void *argument) {
    struct on_stack *run = argument;
    credkit_scrypt_run(run->kernels, run->lanes, run->lane_count, 4, 8);
    // Above it is the thread's own data, such as its number.
    run->count = (size_t)((const uint8_t *)__builtin_frame_address(0) - run->stack);
    memcpy(run->left, run->stack, run->count);
    return NULL;
}

void test_scrypt_stack(void) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    // Their frames are larger, and are not those of a release.
    return;
#endif
    enum { STACK = 256 << 10, PASSWORDS = 8 };
    now = (struct situation){.test = "scrypt stack", .call = "run"};
    const size_t size = credkit_scrypt_memory_size(4, 8);
    uint8_t *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *first = malloc(STACK), *left = malloc(STACK), *memory = credkit_arena_map(LANES * size);
    uint8_t blocks[LANES][1024];
    CHECK(stack != MAP_FAILED && first != NULL && left != NULL && memory != NULL, "memory");
    struct on_stack run = {.stack = stack, .left = left};
    for (size_t index = 0; index < tested_scrypt_count * LANES; index++) {
        run.kernels = tested_scrypt[index / LANES];
        run.lane_count = 1 + index % LANES;
        now.kernels = run.kernels->name;
        // The first thread leaves more: its calls are bound.
        for (int round = 0; round <= PASSWORDS; round++) {
            random_fill(blocks[0], sizeof blocks);
            for (size_t lane = 0; lane < LANES; lane++) {
                run.lanes[lane] = (struct credkit_scrypt_lane){blocks[lane], memory + lane * size, &never, -1};
            }
            memset(stack, 0, STACK);
            pthread_attr_t attributes;
            pthread_t thread;
            CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, STACK) == 0 &&
                      pthread_create(&thread, &attributes, run_on_stack, &run) == 0 && pthread_join(thread, NULL) == 0,
                  "pthread_create");
            pthread_attr_destroy(&attributes);
            if (round == 1) { memcpy(first, left, run.count); }
            // Any difference was made of the password.
            for (size_t byte = 0; round > 1 && byte < run.count; byte++) {
                CHECK(left[byte] == first[byte], "%zu lanes: the stack depends on the password, at depth %zu",
                      run.lane_count, run.count - byte);
            }
        }
    }
    credkit_arena_unmap(memory, LANES * size);
    free(first);
    free(left);
    munmap(stack, STACK);
}
