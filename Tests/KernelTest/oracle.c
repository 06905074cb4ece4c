// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Expected results: from OpenSSL, and from tables of the alphabets.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "kernel_test.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <stdlib.h>

int8_t character_values[2][256];

const uint32_t md5_start[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};

void oracle_prepare(void) {
    const char *alphabets[2] = {
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    };
    memset(character_values, -1, sizeof character_values);
    for (int alphabet = 0; alphabet < 2; alphabet++) {
        for (int value = 0; value < 64; value++) {
            character_values[alphabet][(uint8_t)alphabets[alphabet][value]] = (int8_t)value;
        }
    }
}

static void replace(uint8_t *text, size_t length, char from62, char to62, char from63, char to63) {
    for (size_t index = 0; index < length; index++) {
        uint8_t character = text[index];
        character = character == (uint8_t)from62 ? (uint8_t)to62 : character;
        text[index] = character == (uint8_t)from63 ? (uint8_t)to63 : character;
    }
}

size_t oracle_encode(const uint8_t *bytes, size_t length, uint8_t *text, unsigned form) {
    size_t characters = (size_t)EVP_EncodeBlock(text, bytes, (int)length);
    if (!(form & CREDKIT_BASE64_PADDED) && length % 3 != 0) { characters -= 3 - length % 3; }
    if (form & CREDKIT_BASE64_URL_SAFE) { replace(text, characters, '+', '-', '/', '_'); }
    return characters;
}

void oracle_decode(const uint8_t *text, size_t groups, uint8_t *bytes, unsigned form) {
    uint8_t standard[LONGEST * 2];
    memcpy(standard, text, groups * 4);
    if (form & CREDKIT_BASE64_URL_SAFE) { replace(standard, groups * 4, '-', '+', '_', '/'); }
    // OpenSSL returns -1 for an empty text.
    CHECK(groups == 0 || EVP_DecodeBlock(bytes, standard, (int)(groups * 4)) == (int)(groups * 3),
          "OpenSSL does not decode its own text");
}

ptrdiff_t oracle_decode_text(const uint8_t *text, size_t length, uint8_t *bytes, unsigned form) {
    const int8_t *values = values_of(form);
    size_t characters = 0, count = 0;
    uint32_t bits = 0, bit_count = 0;
    for (; characters < length && values[text[characters]] >= 0; characters++) {
        bits = bits << 6 | (uint32_t)values[text[characters]];
        bit_count += 6;
        if (bit_count < 8) { continue; }
        bit_count -= 8;
        bytes[count++] = (uint8_t)(bits >> bit_count);
        bits &= (1u << bit_count) - 1;
    }
    // Six bits are less than a byte.
    if (bits != 0 || bit_count >= 6) { return -1; }
    size_t padding = form & CREDKIT_BASE64_PADDED ? (4 - characters % 4) % 4 : 0;
    if (length - characters != padding) { return -1; }
    for (; characters < length; characters++) {
        if (text[characters] != '=') { return -1; }
    }
    return (ptrdiff_t)count;
}

static MD5_CTX context_at(const uint32_t state[4], uint64_t length) {
    MD5_CTX context;
    MD5_Init(&context);
    context.A = state[0];
    context.B = state[1];
    context.C = state[2];
    context.D = state[3];
    context.Nl = (uint32_t)(length << 3);
    context.Nh = (uint32_t)(length >> 29);
    return context;
}

void oracle_md5_blocks(uint32_t state[4], const uint8_t *blocks, size_t count) {
    MD5_CTX context = context_at(state, 0);
    for (size_t block = 0; block < count; block++) { MD5_Transform(&context, blocks + 64 * block); }
    state[0] = context.A;
    state[1] = context.B;
    state[2] = context.C;
    state[3] = context.D;
}

void oracle_md5(const uint32_t start[4], uint64_t start_length, const uint8_t *bytes, size_t length,
                uint8_t digest[16]) {
    MD5_CTX context = context_at(start, start_length);
    MD5_Update(&context, bytes, length);
    MD5_Final(digest, &context);
}

const void *oracle_sha256(void) { return EVP_sha256(); }

void oracle_hmac(const uint8_t *key, size_t key_length, const uint8_t *bytes, size_t length, uint8_t code[16]) {
    unsigned int code_length = 0;
    HMAC(EVP_md5(), key, (int)key_length, bytes, length, code, &code_length);
    CHECK(code_length == 16, "OpenSSL gives no HMAC-MD5");
}
