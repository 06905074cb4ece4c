// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The kernel keyring.
#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

int32_t credkit_key_add(const char *description, const void *payload, size_t size) {
    return (int32_t)syscall(SYS_add_key, "user", description, payload, size, KEY_SPEC_PROCESS_KEYRING);
}

long credkit_key_link(int32_t key) {
    return syscall(SYS_keyctl, KEYCTL_LINK, key, KEY_SPEC_USER_KEYRING);
}

long credkit_key_unlink(int32_t key) {
    return syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_PROCESS_KEYRING);
}

long credkit_key_list(int32_t *keys, size_t size) {
    return syscall(SYS_keyctl, KEYCTL_READ, KEY_SPEC_USER_KEYRING, keys, size);
}

long credkit_key_describe(int32_t key, char *buffer, size_t size) {
    return syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, buffer, size);
}

int32_t credkit_key_find(const char *description) {
    return (int32_t)syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", description, 0);
}

long credkit_key_read(int32_t key, void *buffer, size_t size) {
    return syscall(SYS_keyctl, KEYCTL_READ, key, buffer, size);
}

long credkit_key_set_timeout(int32_t key, unsigned seconds) {
    return syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds);
}

long credkit_key_set_permissions(int32_t key, uint32_t permissions) {
    return syscall(SYS_keyctl, KEYCTL_SETPERM, key, permissions);
}

long credkit_key_revoke(int32_t key) { return syscall(SYS_keyctl, KEYCTL_REVOKE, key); }
