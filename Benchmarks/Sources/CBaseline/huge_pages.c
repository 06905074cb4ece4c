// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "huge_pages.h"

#include <sys/prctl.h>

int baseline_turn_huge_pages_off(void) { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
