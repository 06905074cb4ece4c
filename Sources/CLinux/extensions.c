// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Functions of glibc that Swift does not import.
#include <linux/magic.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

#include "shim.h"

const char *credkit_secure_getenv(const char *name) { return secure_getenv(name); }

int credkit_spawn_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

char **credkit_environment(void) { return environ; }

int credkit_rename_new(int folder, const char *name, const char *new_name) {
    return renameat2(folder, name, folder, new_name, RENAME_NOREPLACE);
}

bool credkit_is_process_file(int file) {
    struct statfs system;
    return fstatfs(file, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

static const char access_list[] = "system.posix_acl_access";

long credkit_access_list_size(const char *path) { return getxattr(path, access_list, NULL, 0); }

int credkit_access_list_copy(const char *source, const char *target) {
    char list[16384];
    ssize_t size = getxattr(source, access_list, list, sizeof list);
    return size < 0 ? -1 : setxattr(target, access_list, list, (size_t)size, 0);
}

int credkit_access_list_remove(const char *path) { return removexattr(path, access_list); }
