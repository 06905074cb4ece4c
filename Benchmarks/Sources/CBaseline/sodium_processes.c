// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "sodium_processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include "baseline.h"

int baseline_argon2id_sodium_processes(int count, int process_count, uint32_t memory_kib, uint32_t passes) {
    int started = 0, result = 0;
    for (; started < process_count; started++) {
        const int share = count / process_count + (started < count % process_count);
        const pid_t child = fork();
        if (child < 0) break;
        if (child == 0) {
            int failed = 0;
            for (int n = 0; n < share && !failed; n++) failed = baseline_argon2id_sodium(memory_kib, passes) != 0;
            _exit(failed);
        }
    }
    if (started < process_count) result = -1;
    for (; started > 0; started--) {
        int status = -1;
        if (wait(&status) < 0 || status != 0) result = -1;
    }
    return result;
}
