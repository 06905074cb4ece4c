// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <time.h>

enum { FRACTION_BITS = 6 };

void histogram_add(struct histogram *histogram, int64_t nanoseconds) {
    uint64_t value = nanoseconds > 0 ? (uint64_t)nanoseconds : 0;
    // The exponent and the first bits after the leading one.
    int exponent = value >> FRACTION_BITS ? 63 - __builtin_clzll(value) - FRACTION_BITS : 0;
    size_t place = value >> FRACTION_BITS
        ? (size_t)(exponent + 1) << FRACTION_BITS | ((value >> exponent) & ((1 << FRACTION_BITS) - 1))
        : value;
    histogram->counts[place]++;
    histogram->count++;
}

double histogram_quantile(const struct histogram *histogram, double share) {
    uint64_t rank = (uint64_t)(share * (double)histogram->count), seen = 0;
    for (size_t place = 0; place < sizeof histogram->counts / sizeof *histogram->counts; place++) {
        seen += histogram->counts[place];
        if (seen <= rank) continue;
        uint64_t row = place >> FRACTION_BITS, rest = place & ((1 << FRACTION_BITS) - 1);
        double value = row == 0 ? (double)rest
                                : (double)((rest | 1 << FRACTION_BITS) + 1) * (double)(UINT64_C(1) << (row - 1));
        return value / 1e6;
    }
    return 0;
}

int64_t now_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
