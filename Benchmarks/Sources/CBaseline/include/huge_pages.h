// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_BASELINE_HUGE_PAGES_H
#define CREDKIT_BASELINE_HUGE_PAGES_H

/// Turns huge pages off for this process. Returns 0 on success.
int baseline_turn_huge_pages_off(void);

#endif
