// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// A round of SHA-256 and of SHA-512 in words of the processor. The including file defines LOWER and UPPER, the functions of e and
// of a, and a variable `difference`.
#ifndef CREDKIT_SHA2_ROUND_H
#define CREDKIT_SHA2_ROUND_H

#define CHOICE(e, f, g) ((((f) ^ (g)) & (e)) ^ (g))

/// Keeps the compiler from adding in another order: what is known early comes first, and what the next round waits for last.
#define IN_ORDER(word) __asm__("" : "+r"(word))

/// Each round leaves the difference of a and b, which is that of b and c in the next one: the majority is either of them where
/// they are equal, otherwise the third.
#define ROUND(a, b, c, d, e, f, g, h, sum_of_word) \
    do { \
        __typeof__(h) sum = h + (sum_of_word); \
        IN_ORDER(sum); \
        sum += CHOICE(e, f, g); \
        IN_ORDER(sum); \
        d += sum; \
        IN_ORDER(d); \
        const __typeof__(h) lower = LOWER(e); \
        d += lower; \
        sum += lower; \
        IN_ORDER(sum); \
        const __typeof__(h) other = a ^ b; \
        h = sum + ((other & difference) ^ b); \
        IN_ORDER(h); \
        difference = other; \
        h += UPPER(a); \
    } while (0)

#endif
