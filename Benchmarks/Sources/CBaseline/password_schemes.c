// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "password_schemes.h"

#include <crypt.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <string.h>

// The kernels that CredKit's library has, whose headers are not public.
#include "../../../Sources/CKernels/include/CCredKitArgon2.h"
#include "../../../Sources/CKernels/include/CCredKitBcrypt.h"
#include "../../../Sources/CKernels/include/CCredKitScrypt.h"

static const char password[] = "correct horse battery staple";
static const uint8_t salt[] = "sixteen bytes!!!";

int baseline_scrypt_sodium(uint32_t log_n, uint32_t r, uint32_t p) {
    // Without it, libsodium does not look for the processor's instructions.
    if (sodium_init() < 0) return -1;
    uint8_t key[32];
    return crypto_pwhash_scryptsalsa208sha256_ll((const uint8_t *)password, sizeof password - 1, salt, 16,
                                                 (uint64_t)1 << log_n, r, p, key, sizeof key);
}

int baseline_scrypt_openssl(uint32_t log_n, uint32_t r, uint32_t p) {
    uint8_t key[32];
    return EVP_PBE_scrypt(password, sizeof password - 1, salt, 16, (uint64_t)1 << log_n, r, p, (uint64_t)1 << 32, key,
                          sizeof key) == 1
               ? 0
               : -1;
}

int baseline_crypt(const char *setting) {
    static struct crypt_data memory;
    const char *text = crypt_rn(password, setting, &memory, sizeof memory);
    return text != NULL && text[0] == '$' ? 0 : -1;
}

uint32_t baseline_scrypt_best_lanes(void) { return (uint32_t)credkit_scrypt_best_lanes(CREDKIT_SCRYPT_LANES); }

uint32_t baseline_bcrypt_best_lanes(void) { return (uint32_t)credkit_bcrypt_best_lanes(CREDKIT_BCRYPT_LANES); }

int baseline_scrypt_lanes(uint32_t lanes, uint32_t log_n) {
    enum { R = 8, BLOCK = 128 * R };
    static const int never = 0;
    static uint8_t *memory, blocks[CREDKIT_SCRYPT_LANES][BLOCK];
    static size_t mapped;
    const size_t size = credkit_scrypt_memory_size(log_n, R);
    if (mapped != lanes * size) {
        if (memory != NULL) credkit_arena_unmap(memory, mapped);
        mapped = lanes * size;
        memory = credkit_arena_map(mapped);
    }
    const struct credkit_scrypt_kernels *kernels = credkit_scrypt_choose(lanes);
    if (memory == NULL || kernels == NULL) return -1;
    struct credkit_scrypt_lane run[CREDKIT_SCRYPT_LANES];
    for (uint32_t lane = 0; lane < lanes; lane++) {
        run[lane] = (struct credkit_scrypt_lane){blocks[lane], memory + lane * size, &never, -1};
    }
    credkit_scrypt_run(kernels, run, lanes, log_n, R);
    credkit_arena_wipe(memory, mapped);
    return run[0].status;
}

int baseline_bcrypt_lanes(uint32_t lanes, uint32_t cost) {
    static struct credkit_bcrypt_lane memory[CREDKIT_BCRYPT_LANES];
    struct credkit_bcrypt_lane *run[CREDKIT_BCRYPT_LANES];
    const struct credkit_bcrypt_kernels *kernels = credkit_bcrypt_choose();
    if (kernels == NULL) return -1;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        run[lane] = &memory[lane];
        credkit_bcrypt_prepare(run[lane], 'b', (const uint8_t *)password, sizeof password - 1, salt, cost);
    }
    while (run[0]->rounds > 0) credkit_bcrypt_advance(kernels, run, lanes, 16);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint8_t digest[CREDKIT_BCRYPT_DIGEST];
        credkit_bcrypt_finish(run[lane], digest);
    }
    return 0;
}
