// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_LINUX_SHIM_H
#define CREDKIT_LINUX_SHIM_H

#include <fcntl.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel's keyring (keyrings(7)): glibc has no functions for it, and Swift cannot call the variadic `syscall`.

// Adds a key of the type "user" to the user's keyring, or replaces its payload. The key's number, or -1 with errno.
static inline int32_t credkit_key_add(const char *description, const void *payload, size_t size) {
    return (int32_t)syscall(SYS_add_key, "user", description, payload, size, KEY_SPEC_USER_KEYRING);
}

// The number of a key in the user's keyring, or -1 with errno.
static inline int32_t credkit_key_find(const char *description) {
    return (int32_t)syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", description, 0);
}

// Reads a key's payload. Its size, or -1 with errno.
static inline long credkit_key_read(int32_t key, void *buffer, size_t size) {
    return syscall(SYS_keyctl, KEYCTL_READ, key, buffer, size);
}

// Lets a key expire in so many seconds. 0, or -1 with errno.
static inline long credkit_key_set_timeout(int32_t key, unsigned seconds) {
    return syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds);
}

// Sets who may do what with a key. 0, or -1 with errno.
static inline long credkit_key_set_permissions(int32_t key, uint32_t permissions) {
    return syscall(SYS_keyctl, KEYCTL_SETPERM, key, permissions);
}

// Makes a key unusable at once. 0, or -1 with errno.
static inline long credkit_key_revoke(int32_t key) { return syscall(SYS_keyctl, KEYCTL_REVOKE, key); }

// A pipe that programs started meanwhile do not inherit: glibc's pipe2 is hidden from Swift. 0, or -1 with errno.
static inline long credkit_pipe(int *ends) { return syscall(SYS_pipe2, ends, O_CLOEXEC); }

// Signals that are noted and do nothing else, while a terminal must not be left as it is. The state is in a file of C: as a
// variable in a header each object file would have its own, and an optimized build makes several of one module.

// Notes a signal from now on, unless it is ignored. 1 and what it did before; 0 if it stays as it is.
int credkit_signal_note(int number, struct sigaction *previous);

// The signal that was noted last, once; 0 if none was.
int credkit_signal_take(void);

// How many processors this process may run on. Swift has no access to `sched_getaffinity`.
int credkit_processor_count(void);

#endif
