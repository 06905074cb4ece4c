// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The kernels under test, or faulty replacements.
#include "kernel_test.h"

const struct credkit_kernels *kernels_at_start;
const struct credkit_kernels *const *tested;
size_t tested_count;
void (*tested_hex_encode)(const uint8_t *source, size_t length, uint8_t *target) = credkit_hex_encode;
size_t (*tested_hex_decode)(const uint8_t *source, size_t length, uint8_t *target) = credkit_hex_decode;
base64_skipping *tested_skipping = credkit_base64_decode_skipping;
base64_lines *tested_lines = credkit_base64_decode_lines;
const struct credkit_kernels *sound;

void read_unused(const uint8_t *byte) { (void)*(const volatile uint8_t *)byte; }

const struct fault *planted_fault(size_t index) {
    const struct fault *const all[] = {base64_faults, base64_skipping_faults, hex_faults, md5_faults,
                                       argon2_faults, pbkdf2_faults, shacrypt_faults, scrypt_faults, bcrypt_faults};
    for (size_t list = 0; list < sizeof all / sizeof all[0]; list++) {
        for (const struct fault *fault = all[list]; fault->name != NULL; fault++) {
            if (index-- == 0) { return fault; }
        }
    }
    return NULL;
}

static void plant_fault(const struct fault *fault) {
    static struct credkit_kernels kernels;
    static const struct credkit_kernels *const list[1] = {&kernels};
    const struct credkit_kernels *faulty = &fault->kernels;
    const struct credkit_argon2_kernels *faulty_argon2 = &fault->argon2;
    kernels = *sound;
    kernels.name = fault->name;
    if (faulty->base64_encode != NULL) { kernels.base64_encode = faulty->base64_encode; }
    if (faulty->base64_decode != NULL) { kernels.base64_decode = faulty->base64_decode; }
    if (faulty->base64_decode_text != NULL) { kernels.base64_decode_text = faulty->base64_decode_text; }
    if (faulty->md5_blocks != NULL) { kernels.md5_blocks = faulty->md5_blocks; }
    if (faulty->md5_short != NULL) { kernels.md5_short = faulty->md5_short; }
    if (faulty->md5_of_digests != NULL) { kernels.md5_of_digests = faulty->md5_of_digests; }
    if (fault->hex_encode != NULL) { tested_hex_encode = fault->hex_encode; }
    if (fault->hex_decode != NULL) { tested_hex_decode = fault->hex_decode; }
    if (fault->skipping != NULL) { tested_skipping = fault->skipping; }
    if (fault->lines != NULL) { tested_lines = fault->lines; }
    if (faulty_argon2->fill_segment != NULL || faulty_argon2->write_block != NULL) { planted_in_argon2 = fault; }
    if (fault->pbkdf2.iterate != NULL) { planted_in_pbkdf2 = fault; }
    if (fault->shacrypt.advance != NULL || fault->shacrypt.compress != NULL) { planted_in_shacrypt = fault; }
    if (fault->scrypt.fill != NULL || fault->scrypt.mix != NULL) { planted_in_scrypt = fault; }
    if (fault->bcrypt.advance != NULL) { planted_in_bcrypt = fault; }
    tested = list;
    tested_count = 1;
}

bool plant(const char *name) {
    sound = tested[0];
    for (size_t index = 0; planted_fault(index) != NULL; index++) {
        if (strcmp(planted_fault(index)->name, name) != 0) { continue; }
        plant_fault(planted_fault(index));
        return true;
    }
    return false;
}
