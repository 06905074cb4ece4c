// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_BASELINE_SODIUM_PROCESSES_H
#define CREDKIT_BASELINE_SODIUM_PROCESSES_H

#include <stdint.h>

/// Computes `count` new Argon2id hashes with one lane through libsodium, shared equally among processes. Returns 0 on
/// success.
int baseline_argon2id_sodium_processes(int count, int process_count, uint32_t memory_kib, uint32_t passes);

#endif
