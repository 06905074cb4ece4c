// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CCONSTANT_TIME_H
#define CCONSTANT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// memcheck.c: secrets are marked as undefined memory. valgrind reports branches on them, and addresses that depend on
// them.

bool ct_runs_under_valgrind(void);
void ct_make_secret(void *memory, size_t size);
void ct_make_public(void *memory, size_t size);
/// The number of bytes, from the first on, with at least one bit that depends on a secret.
size_t ct_secret_prefix(const void *memory, size_t size);
/// The number of reports so far.
unsigned ct_report_count(void);
/// The name of the kernels that CredKit has chosen, or NULL if it has not yet.
const char *ct_kernels(void);

// argon2.c

/// The name of the kernels of Argon2 that CredKit has chosen, or NULL.
const char *ct_argon2_kernels(void);
/// Computes Argon2i of a secret password. Returns whether the tag is right and depends on the password.
bool ct_argon2i(void);
/// Computes slices of the first pass of Argon2id, or else of Argon2d, over secret memory. Returns whether the memory is
/// still secret.
bool ct_argon2_slices(bool is_id, unsigned first, unsigned end);

// pbkdf2.c

/// Derives keys of sixteen secret passwords, of four and of one, with each hash function. Returns whether they are right and depend
/// on the passwords.
bool ct_pbkdf2(void);

// shacrypt.c

/// Computes SHA-crypt of secret passwords, of eight at once and of one, with SHA-256 and SHA-512. Returns whether the digests
/// are right and depend on the passwords.
bool ct_shacrypt(void);

// planted.c: the faults that the tests must find.

/// Decodes groups of four characters with tables, as many libraries do. Returns false if one is invalid.
bool ct_table_decode(const uint8_t *text, size_t groups, uint8_t *bytes);
/// Compares until the first difference.
bool ct_early_exit_compare(const uint8_t *left, const uint8_t *right, size_t length);

// timing.c: Welch's t-test over timings of two classes of inputs.

/// A function to measure.
struct ct_contender {
    /// The length of one input in bytes, at most 4096.
    size_t length;
    /// Whether to evict the program's data, and so every table, from all caches before each timing.
    bool is_cold;
    /// Writes an input of one of the two classes.
    void (*prepare)(uint8_t *input, size_t length, bool is_second_class);
    /// The timed function.
    void (*run)(const uint8_t *input, size_t length);
};

struct ct_result {
    /// The largest |t| of all crops that are large enough.
    double t;
    /// The number of timings in that crop, both classes.
    size_t count;
    /// Whether the classes differ in variance instead of mean.
    bool is_second_order;
    /// The mean of each class over these timings, in clock ticks; for the second order, the variance.
    double means[2];
};

/// Measures `count` times, the classes in random order. Ends the process if there is not enough memory.
struct ct_result ct_measure(const struct ct_contender *contender, size_t count, bool are_classes_same);
/// Pins the process to one core.
void ct_pin(void);
uint64_t ct_random(void);
void ct_random_fill(uint8_t *bytes, size_t length);

// contenders.c

/// The two classes of each kind of input.
void ct_prepare_bytes(uint8_t *input, size_t length, bool is_second_class);
void ct_prepare_text(uint8_t *input, size_t length, bool is_second_class);
void ct_prepare_pair(uint8_t *input, size_t length, bool is_second_class);
/// The planted faults.
void ct_run_table_decode(const uint8_t *input, size_t length);
void ct_run_early_exit_compare(const uint8_t *input, size_t length);

#endif
