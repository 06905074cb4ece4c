// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-crypt's lanes for Swift, which does not import types that are aligned so much: their memory is untyped there.
#ifndef CCREDKIT_LANES_H
#define CCREDKIT_LANES_H

#include "CCredKitSHACrypt.h"

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

/// The alignment of the memory of any lane, and the size of one of SHA-crypt, in bytes.
enum {
    CREDKIT_LANE_ALIGNMENT = _Alignof(struct credkit_shacrypt_lane),
    CREDKIT_SHACRYPT_LANE_SIZE = sizeof(struct credkit_shacrypt_lane),
};

/// See credkit_shacrypt_prepare.
static inline void credkit_shacrypt_lane_prepare(const struct credkit_shacrypt_kernels *_Nonnull kernels,
                                                 void *_Nonnull lane,
                                                 const struct credkit_shacrypt_input *_Nonnull input) {
    credkit_shacrypt_prepare(kernels, (struct credkit_shacrypt_lane *)lane, input);
}

/// See credkit_shacrypt_advance.
static inline void credkit_shacrypt_lanes_advance(const struct credkit_shacrypt_kernels *_Nonnull kernels,
                                                  void *_Nonnull const *_Nonnull lanes, size_t count, size_t blocks) {
    struct credkit_shacrypt_lane *pointers[CREDKIT_SHACRYPT_LANES];
    if (count > CREDKIT_SHACRYPT_LANES) count = CREDKIT_SHACRYPT_LANES;
    for (size_t n = 0; n < count; n++) pointers[n] = (struct credkit_shacrypt_lane *)lanes[n];
    credkit_shacrypt_advance(kernels, pointers, count, blocks);
}

/// See credkit_shacrypt_is_done.
static inline int credkit_shacrypt_lane_is_done(const void *_Nonnull lane) {
    return credkit_shacrypt_is_done((const struct credkit_shacrypt_lane *)lane);
}

/// See credkit_shacrypt_finish.
static inline void credkit_shacrypt_lane_finish(const struct credkit_shacrypt_kernels *_Nonnull kernels,
                                                void *_Nonnull lane, uint8_t *_Nonnull digest) {
    credkit_shacrypt_finish(kernels, (struct credkit_shacrypt_lane *)lane, digest);
}

#pragma clang diagnostic pop

#endif
