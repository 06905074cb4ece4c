// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The number of processors that are available for threads.
#include <sched.h>
#include <unistd.h>

#include "shim.h"

int credkit_processor_count(void) {
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0) return CPU_COUNT(&processors);
    // There are more processors than the set has room for.
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}
