// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The rounds of bcrypt.
#include <string.h>

#include "CCredKitBcrypt.h"

/// A round of Blowfish. The subkey is mixed in first, because the compiler would otherwise do so at the end of the chain
/// of operations for which the next round waits.
static inline __attribute__((always_inline)) uint32_t bcrypt_step(const struct credkit_bcrypt_state *state, uint32_t input,
                                                                  uint32_t other, int round) {
    other ^= state->p[round];
    __asm__("" : "+r"(other));
    return other ^ (((state->s[0][input >> 24] + state->s[1][input >> 16 & 255]) ^ state->s[2][input >> 8 & 255]) +
                    state->s[3][input & 255]);
}

#define LANES 1
#define NAME(name) name##_1
#include "bcrypt_lanes.h"

#define LANES 2
#define NAME(name) name##_2
#include "bcrypt_lanes.h"

#define LANES 3
#define NAME(name) name##_3
#include "bcrypt_lanes.h"

#define LANES 4
#define NAME(name) name##_4
#include "bcrypt_lanes.h"

static void advance(struct credkit_bcrypt_lane *const *lanes, size_t count, uint32_t rounds) {
    if (count == 1) {
        advance_1(lanes, rounds);
    } else if (count == 2) {
        advance_2(lanes, rounds);
    } else if (count == 3) {
        advance_3(lanes, rounds);
    } else {
        advance_4(lanes, rounds);
    }
}

const struct credkit_bcrypt_kernels credkit_bcrypt_portable = {"portable", advance};
