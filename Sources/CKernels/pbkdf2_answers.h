// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The known answer of PBKDF2, for the test of a kernel before its first use.
#ifndef CREDKIT_PBKDF2_ANSWERS_H
#define CREDKIT_PBKDF2_ANSWERS_H

#include "CCredKitPBKDF2.h"

enum { PBKDF2_ANSWER_ITERATIONS = 3, PBKDF2_ANSWER_KEY = 40 };

/// The lengths of the passwords, around the sizes of a block and of its padding. Byte i of password n is n + i. Byte i of
/// salt n is 7n + i, and it has 9n bytes.
static const uint16_t pbkdf2_answer_lengths[CREDKIT_PBKDF2_LANES] = {
    0, 1, 8, 16, 31, 32, 55, 56, 63, 64, 65, 100, 127, 128, 129, 300,
};

/// The SHA-256 of all keys, as OpenSSL computes them.
static const uint8_t pbkdf2_answer[32] = {
    0xda, 0x53, 0xfe, 0x30, 0x05, 0xb7, 0x5e, 0x7e, 0x79, 0xa7, 0x5b, 0xfe, 0xac, 0x60, 0x60, 0xee,
    0x5b, 0x0d, 0xd4, 0xa7, 0x74, 0xd5, 0xe7, 0xac, 0x25, 0x2f, 0x78, 0xca, 0x3d, 0x6d, 0xfc, 0x83,
};

#endif
