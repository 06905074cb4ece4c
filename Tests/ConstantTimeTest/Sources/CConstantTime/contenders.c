// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The two classes of inputs: the first is always the same, the second is random. All are valid.
#include "CConstantTime.h"

#include <string.h>

void ct_prepare_bytes(uint8_t *input, size_t length, bool is_second_class) {
    if (is_second_class) {
        ct_random_fill(input, length);
    } else {
        memset(input, 0, length);
    }
}

void ct_prepare_text(uint8_t *input, size_t length, bool is_second_class) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    ct_prepare_bytes(input, length, is_second_class);
    for (size_t index = 0; index < length; index++) { input[index] = (uint8_t)alphabet[input[index] % 64]; }
}

/// Two halves that are equal in the first class.
void ct_prepare_pair(uint8_t *input, size_t length, bool is_second_class) {
    ct_random_fill(input, length);
    if (!is_second_class) { memcpy(input + length / 2, input, length / 2); }
}

static volatile bool answer;
static uint8_t decoded[4096];

void ct_run_table_decode(const uint8_t *input, size_t length) { answer = ct_table_decode(input, length / 4, decoded); }

void ct_run_early_exit_compare(const uint8_t *input, size_t length) {
    answer = ct_early_exit_compare(input, input + length / 2, length / 2);
}
