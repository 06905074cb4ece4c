// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The 64 steps of MD5 (RFC 1321 §3.4), sixteen with each function, over variables a, b, c and d.
// STEP(function, a, b, c, d, word, shift, constant) is one of them.
#ifndef CREDKIT_MD5_STEPS_H
#define CREDKIT_MD5_STEPS_H

#define MD5_FOUR_STEPS(STEP, f, s0, s1, s2, s3, w0, k0, w1, k1, w2, k2, w3, k3) \
    STEP(f, a, b, c, d, w0, s0, k0)                                             \
    STEP(f, d, a, b, c, w1, s1, k1)                                             \
    STEP(f, c, d, a, b, w2, s2, k2)                                             \
    STEP(f, b, c, d, a, w3, s3, k3)

#define MD5_STEPS_F(STEP)                                                                                  \
    MD5_FOUR_STEPS(STEP, F, 7, 12, 17, 22, 0, 0xd76aa478, 1, 0xe8c7b756, 2, 0x242070db, 3, 0xc1bdceee)     \
    MD5_FOUR_STEPS(STEP, F, 7, 12, 17, 22, 4, 0xf57c0faf, 5, 0x4787c62a, 6, 0xa8304613, 7, 0xfd469501)     \
    MD5_FOUR_STEPS(STEP, F, 7, 12, 17, 22, 8, 0x698098d8, 9, 0x8b44f7af, 10, 0xffff5bb1, 11, 0x895cd7be)   \
    MD5_FOUR_STEPS(STEP, F, 7, 12, 17, 22, 12, 0x6b901122, 13, 0xfd987193, 14, 0xa679438e, 15, 0x49b40821)

#define MD5_STEPS_G(STEP)                                                                               \
    MD5_FOUR_STEPS(STEP, G, 5, 9, 14, 20, 1, 0xf61e2562, 6, 0xc040b340, 11, 0x265e5a51, 0, 0xe9b6c7aa)  \
    MD5_FOUR_STEPS(STEP, G, 5, 9, 14, 20, 5, 0xd62f105d, 10, 0x02441453, 15, 0xd8a1e681, 4, 0xe7d3fbc8) \
    MD5_FOUR_STEPS(STEP, G, 5, 9, 14, 20, 9, 0x21e1cde6, 14, 0xc33707d6, 3, 0xf4d50d87, 8, 0x455a14ed)  \
    MD5_FOUR_STEPS(STEP, G, 5, 9, 14, 20, 13, 0xa9e3e905, 2, 0xfcefa3f8, 7, 0x676f02d9, 12, 0x8d2a4c8a)

#define MD5_STEPS_H(STEP)                                                                                \
    MD5_FOUR_STEPS(STEP, H, 4, 11, 16, 23, 5, 0xfffa3942, 8, 0x8771f681, 11, 0x6d9d6122, 14, 0xfde5380c) \
    MD5_FOUR_STEPS(STEP, H, 4, 11, 16, 23, 1, 0xa4beea44, 4, 0x4bdecfa9, 7, 0xf6bb4b60, 10, 0xbebfbc70)  \
    MD5_FOUR_STEPS(STEP, H, 4, 11, 16, 23, 13, 0x289b7ec6, 0, 0xeaa127fa, 3, 0xd4ef3085, 6, 0x04881d05)  \
    MD5_FOUR_STEPS(STEP, H, 4, 11, 16, 23, 9, 0xd9d4d039, 12, 0xe6db99e5, 15, 0x1fa27cf8, 2, 0xc4ac5665)

#define MD5_STEPS_I(STEP)                                                                                \
    MD5_FOUR_STEPS(STEP, I, 6, 10, 15, 21, 0, 0xf4292244, 7, 0x432aff97, 14, 0xab9423a7, 5, 0xfc93a039)  \
    MD5_FOUR_STEPS(STEP, I, 6, 10, 15, 21, 12, 0x655b59c3, 3, 0x8f0ccc92, 10, 0xffeff47d, 1, 0x85845dd1) \
    MD5_FOUR_STEPS(STEP, I, 6, 10, 15, 21, 8, 0x6fa87e4f, 15, 0xfe2ce6e0, 6, 0xa3014314, 13, 0x4e0811a1) \
    MD5_FOUR_STEPS(STEP, I, 6, 10, 15, 21, 4, 0xf7537e82, 11, 0xbd3af235, 2, 0x2ad7d2bb, 9, 0xeb86d391)

#endif
