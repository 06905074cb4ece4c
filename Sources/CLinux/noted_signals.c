// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <string.h>

#include "shim.h"

static volatile sig_atomic_t noted;

static void note(int number) { noted = number; }

int credkit_signal_note(int number, void *previous) {
    struct sigaction action;
    if (sigaction(number, NULL, previous) != 0 || ((struct sigaction *)previous)->sa_handler == SIG_IGN) return 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    return sigaction(number, &action, NULL) == 0;
}

int credkit_signal_take(void) {
    int number = noted;
    noted = 0;
    return number;
}
