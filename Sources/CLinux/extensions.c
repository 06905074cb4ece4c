// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Functions of glibc that Swift does not import.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/xattr.h>

#include "shim.h"

const char *credkit_secure_getenv(const char *name) { return secure_getenv(name); }

int credkit_spawn_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

char **credkit_environment(void) { return environ; }

int credkit_rename_new(const char *path, const char *new_path) {
    return renameat2(AT_FDCWD, path, AT_FDCWD, new_path, RENAME_NOREPLACE);
}

static const char access_list[] = "system.posix_acl_access";

long credkit_access_list_size(const char *path) { return getxattr(path, access_list, NULL, 0); }

int credkit_access_list_copy(const char *source, const char *target) {
    char list[16384];
    ssize_t size = getxattr(source, access_list, list, sizeof list);
    return size < 0 ? -1 : setxattr(target, access_list, list, (size_t)size, 0);
}

int credkit_access_list_remove(const char *path) { return removexattr(path, access_list); }
