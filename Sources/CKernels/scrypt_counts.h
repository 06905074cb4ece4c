// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The kernels of scrypt for each number of lanes, from functions for one, two and four. Three lanes are computed as four, of
// which the last two are the same.

static void fill(uint8_t *const *memories, size_t lanes, size_t r, uint32_t first, uint32_t end) {
    if (lanes == 1) {
        fill_1(memories, r, first, end);
    } else if (lanes == 2) {
        fill_2(memories, r, first, end);
    } else {
        uint8_t *const all[] = {memories[0], memories[1], memories[2], memories[lanes - 1]};
        fill_4(all, r, first, end);
    }
}

static void mix(uint8_t *const *memories, size_t lanes, size_t r, uint32_t n, uint32_t steps) {
    if (lanes == 1) {
        mix_1(memories, r, n, steps);
    } else if (lanes == 2) {
        mix_2(memories, r, n, steps);
    } else {
        uint8_t *const all[] = {memories[0], memories[1], memories[2], memories[lanes - 1]};
        mix_4(all, r, n, steps);
    }
}
