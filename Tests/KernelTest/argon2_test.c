// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares Argon2 with the reference implementation, and with libsodium where that has the parameters.
#include "kernel_test.h"

#include <argon2.h>
#include <sodium.h>
#include <stdio.h>

/// Random inputs.
struct argon2_case {
    uint8_t bytes[4][128], tag[128];
    size_t tag_length;
    struct credkit_argon2_input input;
};

static const int never = 0;

static struct credkit_argon2_bytes random_bytes(uint8_t *bytes, size_t least, size_t most) {
    const size_t length = least + random_below(most - least + 1);
    random_fill(bytes, length);
    return (struct credkit_argon2_bytes){bytes, length};
}

static void make_case(struct argon2_case *made) {
    struct credkit_argon2_input *input = &made->input;
    input->type = (uint32_t)random_below(3);
    input->version = random_below(4) == 0 ? 0x10 : 0x13;
    // One lane as often as all others together.
    input->lanes = random_below(2) == 0 ? 1 : (uint32_t)(1 + random_below(8));
    input->passes = (uint32_t)(1 + random_below(5));
    // 8 KiB to 8 MiB, each power of two as often as the next, and at least 8 KiB for each lane.
    const uint32_t power = 3 + (uint32_t)random_below(10);
    input->memory_kib = (1u << power) + (uint32_t)random_below((size_t)1 << power);
    if (input->memory_kib < 8 * input->lanes) input->memory_kib = 8 * input->lanes;
    input->password = random_bytes(made->bytes[0], 0, 128);
    input->salt = random_below(2) == 0 ? random_bytes(made->bytes[1], 16, 16) : random_bytes(made->bytes[1], 8, 64);
    const int is_plain = random_below(2) == 0;
    input->secret = random_bytes(made->bytes[2], 0, is_plain ? 0 : 32);
    input->data = random_bytes(made->bytes[3], 0, is_plain ? 0 : 32);
    made->tag_length = 4 + random_below(125);
    input->threads = (uint32_t)random_below(10);
}

static void compute_reference(struct argon2_case *made) {
    const struct credkit_argon2_input *input = &made->input;
    argon2_context context = {
        .out = made->tag,
        .outlen = (uint32_t)made->tag_length,
        .pwd = made->bytes[0],
        .pwdlen = (uint32_t)input->password.length,
        .salt = made->bytes[1],
        .saltlen = (uint32_t)input->salt.length,
        .secret = made->bytes[2],
        .secretlen = (uint32_t)input->secret.length,
        .ad = made->bytes[3],
        .adlen = (uint32_t)input->data.length,
        .t_cost = input->passes,
        .m_cost = input->memory_kib,
        .lanes = input->lanes,
        .threads = 1,
        .version = input->version,
    };
    CHECK(argon2_ctx(&context, (argon2_type)input->type) == ARGON2_OK, "the reference implementation failed");
}

/// Returns whether libsodium has the parameters; then its tag is the reference implementation's.
static bool check_sodium(const struct argon2_case *made) {
    const struct credkit_argon2_input *input = &made->input;
    const bool is_id = input->type == CREDKIT_ARGON2ID;
    if (input->version != 0x13 || input->lanes != 1 || input->salt.length != 16 || input->secret.length > 0 ||
        input->data.length > 0 || made->tag_length < 16 || input->type == CREDKIT_ARGON2D ||
        (!is_id && input->passes < 3)) {
        return false;
    }
    uint8_t tag[128];
    CHECK(crypto_pwhash(tag, made->tag_length, (const char *)made->bytes[0], input->password.length, made->bytes[1],
                        input->passes, (size_t)input->memory_kib * 1024,
                        is_id ? crypto_pwhash_ALG_ARGON2ID13 : crypto_pwhash_ALG_ARGON2I13) == 0 &&
              memcmp(tag, made->tag, made->tag_length) == 0,
          "libsodium and the reference implementation differ");
    return true;
}

void test_argon2_random(size_t inputs) {
    now = (struct situation){.test = "argon2", .call = "derive"};
    CHECK(sodium_init() >= 0, "libsodium");
    // The end of the memory is a guard page for whole numbers of pages, and a multiple of 1 KiB before it for others.
    const struct guarded guarded = guarded_make((size_t)16 << 20), tags = guarded_make(128);
    size_t with_sodium = 0;
    for (size_t round = 0; round < inputs; round++) {
        struct argon2_case made;
        make_case(&made);
        compute_reference(&made);
        with_sodium += check_sodium(&made);
        const struct credkit_argon2_input *in = &made.input;
        const size_t size = credkit_argon2_memory_size(in);
        for (size_t index = 0; index < tested_argon2_count; index++) {
            now.kernels = tested_argon2[index]->name;
            now.length = size;
            uint8_t *memory = guarded_at(&guarded, size, (struct place){AT_END, 0});
            uint8_t *tag = guarded_at(&tags, made.tag_length, (struct place){AT_END, 0});
            guarded_close(&guarded, memory, size);
            guarded_close(&tags, tag, made.tag_length);
            const int status =
                credkit_argon2_derive(tested_argon2[index], in, memory, tag, made.tag_length, &never);
            CHECK(status == CREDKIT_ARGON2_DONE && memcmp(tag, made.tag, made.tag_length) == 0,
                  "wrong tag: type %u, version %x, %u lanes, %u KiB, %u passes, %u threads", in->type, in->version,
                  in->lanes, in->memory_kib, in->passes, in->threads);
            guarded_open(&guarded);
            guarded_open(&tags);
        }
    }
    CHECK(inputs < 1000 || with_sodium > 0, "no input was compared with libsodium");
    now.kernels = NULL;
}
