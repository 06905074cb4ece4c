// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// bcrypt, variants 2a, 2b, 2x and 2y, of one to four passwords at once. Each round of Blowfish waits for the loads of the one before;
// meanwhile the processor computes those of the other passwords.
//
// No function allocates memory. By the design of bcrypt, memory is read at addresses that depend on the password.
#ifndef CCREDKIT_BCRYPT_H
#define CCREDKIT_BCRYPT_H

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

enum {
    /// The maximum number of lanes of a slice.
    CREDKIT_BCRYPT_LANES = 4,
    /// The number of bytes of a password that are hashed.
    CREDKIT_BCRYPT_LONGEST_PASSWORD = 72,
    CREDKIT_BCRYPT_SALT = 16,
    CREDKIT_BCRYPT_DIGEST = 23,
};

/// The state of Blowfish.
struct credkit_bcrypt_state {
    uint32_t p[18], s[4][256];
};

/// One computation, 4 KiB. It may start, and be given up, at any time, by itself.
struct credkit_bcrypt_lane {
    struct credkit_bcrypt_state state;
    /// The words of the password and of the salt, each repeated to the length of P.
    uint32_t key[18], salt[18];
    /// The number of rounds that are left.
    uint32_t rounds;
};

/// The kernels. There is one set, for all processors.
struct credkit_bcrypt_kernels {
    const char *name;

    /// Performs `rounds` rounds of 1 to CREDKIT_BCRYPT_LANES lanes.
    void (*_Nonnull advance)(struct credkit_bcrypt_lane *const *lanes, size_t count, uint32_t rounds);
};

extern const struct credkit_bcrypt_kernels credkit_bcrypt_portable;

/// Returns the kernels if they compute the known answers; NULL if they do not, or if the environment variable
/// CREDKIT_KERNELS is `reference`. The first call tests and times them, which takes 4 ms.
const struct credkit_bcrypt_kernels *_Nullable credkit_bcrypt_choose(void);

/// Returns the time of a round with this many lanes, in picoseconds, as was measured; 0 if there are no kernels.
uint32_t credkit_bcrypt_time(size_t lanes);

/// Returns the number of lanes, at most `most`, of which a slice takes the least time for each lane, as was measured; 0 if
/// there are no kernels.
size_t credkit_bcrypt_best_lanes(size_t most);

/// Returns whether kernels compute the known answers, with every number of lanes, and lanes that join later than others.
int credkit_bcrypt_passes_test(const struct credkit_bcrypt_kernels *_Nonnull kernels);

/// Starts a lane of a variant, given by its letter, with 2^cost rounds; the cost is 4 to 31. Bytes after the 72nd, and from a
/// NUL on, do not count. It takes half a round.
void credkit_bcrypt_prepare(struct credkit_bcrypt_lane *_Nonnull lane, uint8_t variant, const uint8_t *password,
                            size_t length, const uint8_t *_Nonnull salt, unsigned cost);

/// Performs `rounds` rounds of each lane, or those that are left of it. A round takes some 50 µs: after a slice of about a
/// millisecond, other lanes can join, and the caller can give up a lane. The stack of the computation is wiped.
void credkit_bcrypt_advance(const struct credkit_bcrypt_kernels *_Nonnull kernels,
                            struct credkit_bcrypt_lane *_Nonnull const *_Nonnull lanes, size_t count, uint32_t rounds);

/// Writes the digest of a lane without rounds left, CREDKIT_BCRYPT_DIGEST bytes, and wipes the lane.
void credkit_bcrypt_finish(struct credkit_bcrypt_lane *_Nonnull lane, uint8_t *_Nonnull digest);

/// Wipes a lane that is given up.
void credkit_bcrypt_wipe(struct credkit_bcrypt_lane *_Nonnull lane);

#pragma clang diagnostic pop

#endif
