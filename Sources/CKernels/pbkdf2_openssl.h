// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 with the hash functions of OpenSSL, which has assembly code for every processor. `pbkdf2_portable.c` includes this
// file once for each of them, with NAME, CONTEXT, INIT, UPDATE, FINAL, TRANSFORM, BLOCK, DIGEST, WORDS (the name of the
// words in the union) and SWAPPED (between numbers and big-endian bytes) defined.

// The contexts begin with the words of the state.
_Static_assert(sizeof(CONTEXT) > DIGEST, "");

static void NAME(begin)(struct credkit_pbkdf2_lane *lane, const struct credkit_pbkdf2_input *input, uint32_t number) {
    CONTEXT inner, outer;
    uint8_t key[BLOCK] = {0}, digest[DIGEST];
    if (input->password_length > BLOCK) {
        INIT(&inner);
        UPDATE(&inner, input->password, input->password_length);
        FINAL(key, &inner);
    } else if (input->password_length > 0) {
        memcpy(key, input->password, input->password_length);
    }
    // HMAC (RFC 2104, section 2) of the salt and the number of the block.
    for (int n = 0; n < BLOCK; n++) key[n] ^= 0x36;
    INIT(&inner);
    UPDATE(&inner, key, BLOCK);
    memcpy(&lane->inner, &inner, DIGEST);
    for (int n = 0; n < BLOCK; n++) key[n] ^= 0x36 ^ 0x5c;
    INIT(&outer);
    UPDATE(&outer, key, BLOCK);
    memcpy(&lane->outer, &outer, DIGEST);
    if (input->salt_length > 0) UPDATE(&inner, input->salt, input->salt_length);
    const uint32_t swapped = __builtin_bswap32(number);
    UPDATE(&inner, &swapped, sizeof swapped);
    FINAL(digest, &inner);
    UPDATE(&outer, digest, DIGEST);
    FINAL(digest, &outer);
    memcpy(&lane->last, digest, DIGEST);
    for (size_t n = 0; n < DIGEST / sizeof lane->last.WORDS[0]; n++) lane->last.WORDS[n] = SWAPPED(lane->last.WORDS[n]);
    lane->sum = lane->last;
    explicit_bzero(&inner, sizeof inner);
    explicit_bzero(&outer, sizeof outer);
    explicit_bzero(key, sizeof key);
    explicit_bzero(digest, sizeof digest);
}

static void NAME(iterate)(struct credkit_pbkdf2_lane *const *lanes, size_t count, uint32_t iterations) {
    typedef __typeof__(lanes[0]->last.WORDS[0]) word;
    typedef word vector __attribute__((vector_size(16)));
    enum { COUNT = DIGEST / sizeof(word), BLOCK_WORDS = BLOCK / sizeof(word), VECTOR_WORDS = 16 / sizeof(word) };
    // OpenSSL reads a block in vectors, and writes some states word by word. What is read must not be wider than what was
    // written, or the processor waits for both: hence the block in vectors, and volatile words, which are read one by one.
    union {
        CONTEXT context;
        volatile word words[COUNT];
    } hash;
    vector block[BLOCK_WORDS / VECTOR_WORDS];
    memset(&hash, 0, sizeof hash);
    memset(block, 0, sizeof block);
    block[BLOCK_WORDS / VECTOR_WORDS - 1][VECTOR_WORDS - 1] = SWAPPED((word)(8 * (BLOCK + DIGEST)));
    for (size_t lane = 0; lane < count; lane++) {
        memcpy(&hash, &lanes[lane]->last, DIGEST);
        for (uint32_t iteration = 0; iteration < iterations; iteration++) {
            for (int is_outer = 0; is_outer < 2; is_outer++) {
                // The digest, and the bit behind it.
                for (int n = 0; n <= COUNT; n += VECTOR_WORDS) {
                    vector words = {0};
                    for (int k = 0; k < VECTOR_WORDS && n + k <= COUNT; k++) {
                        words[k] = SWAPPED(n + k < COUNT ? hash.words[n + k] : (word)1 << (8 * sizeof(word) - 1));
                    }
                    block[n / VECTOR_WORDS] = words;
                }
                memcpy(&hash, is_outer ? &lanes[lane]->outer : &lanes[lane]->inner, DIGEST);
                TRANSFORM(&hash.context, (const uint8_t *)block);
            }
            for (int n = 0; n < COUNT; n++) lanes[lane]->sum.WORDS[n] ^= hash.words[n];
        }
        memcpy(&lanes[lane]->last, &hash, DIGEST);
    }
    explicit_bzero(&hash, sizeof hash);
    explicit_bzero(block, sizeof block);
}

#undef NAME
#undef CONTEXT
#undef INIT
#undef UPDATE
#undef FINAL
#undef TRANSFORM
#undef BLOCK
#undef DIGEST
#undef WORDS
#undef SWAPPED
