// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CCONSTANT_TIME_H
#define CCONSTANT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// memcheck.c: secrets are memory that valgrind takes for undefined. What branches on it, or takes it as an address,
// is reported.

bool ct_runs_under_valgrind(void);
void ct_make_secret(void *memory, size_t size);
void ct_make_public(void *memory, size_t size);
/// The number of bytes, from the first on, that hold at least one bit which depends on a secret.
size_t ct_secret_prefix(const void *memory, size_t size);
/// The number of reports so far.
unsigned ct_report_count(void);
/// The name of the kernels that CredKit has chosen, or NULL if it has not yet.
const char *ct_kernels(void);

// planted.c: what must be found.

/// Decodes groups of four characters with tables, as many libraries do. False if one is not valid.
bool ct_table_decode(const uint8_t *text, size_t groups, uint8_t *bytes);
/// Compares until the first difference.
bool ct_early_exit_compare(const uint8_t *left, const uint8_t *right, size_t length);

// timing.c: Welch's t-test over timings of two classes of inputs.

/// What is measured.
struct ct_contender {
    /// The length of one input in bytes, at most 4096.
    size_t length;
    /// Whether the program's data, and so every table, is in no cache when the clock starts.
    bool is_cold;
    /// Writes an input of one of the two classes.
    void (*prepare)(uint8_t *input, size_t length, bool is_second_class);
    /// What the clock runs for.
    void (*run)(const uint8_t *input, size_t length);
};

struct ct_result {
    /// The largest |t| of all crops that are large enough.
    double t;
    /// The timings that it is of, both classes.
    size_t count;
    /// Whether the classes differ in how much they scatter, and not in their means.
    bool is_second_order;
    /// The mean of each class over these, in ticks of the clock; of the second order, the variance.
    double means[2];
};

/// Measures `count` times, the classes in random order. Ends the process if there is no memory.
struct ct_result ct_measure(const struct ct_contender *contender, size_t count, bool are_classes_same);
/// Keeps the process on one core.
void ct_pin(void);
uint64_t ct_random(void);
void ct_random_fill(uint8_t *bytes, size_t length);

// contenders.c

/// The two classes of each kind of input.
void ct_prepare_bytes(uint8_t *input, size_t length, bool is_second_class);
void ct_prepare_text(uint8_t *input, size_t length, bool is_second_class);
void ct_prepare_pair(uint8_t *input, size_t length, bool is_second_class);
/// The planted ones.
void ct_run_table_decode(const uint8_t *input, size_t length);
void ct_run_early_exit_compare(const uint8_t *input, size_t length);

#endif
