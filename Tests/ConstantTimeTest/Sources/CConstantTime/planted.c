// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// A decoder and a comparison, as found in fast libraries, whose execution time depends on the data.
#include "CConstantTime.h"

#define INVALID 0x80000000u

/// The bits of a character in each of the four places of a group.
static uint32_t tables[4][256];

__attribute__((constructor)) static void make_tables(void) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int place = 0; place < 4; place++) {
        for (int byte = 0; byte < 256; byte++) { tables[place][byte] = INVALID; }
        for (uint32_t value = 0; value < 64; value++) {
            tables[place][(uint8_t)alphabet[value]] = value << (18 - 6 * place);
        }
    }
}

bool ct_table_decode(const uint8_t *text, size_t groups, uint8_t *bytes) {
    uint32_t invalid = 0;
    for (size_t group = 0; group < groups; group++, text += 4, bytes += 3) {
        uint32_t bits = tables[0][text[0]] | tables[1][text[1]] | tables[2][text[2]] | tables[3][text[3]];
        invalid |= bits;
        bytes[0] = (uint8_t)(bits >> 16);
        bytes[1] = (uint8_t)(bits >> 8);
        bytes[2] = (uint8_t)bits;
    }
    return (invalid & INVALID) == 0;
}

bool ct_early_exit_compare(const uint8_t *left, const uint8_t *right, size_t length) {
    for (size_t index = 0; index < length; index++) {
        if (left[index] != right[index]) { return false; }
    }
    return true;
}
