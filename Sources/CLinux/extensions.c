// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Functions of glibc that Swift does not import.
#include <spawn.h>
#include <stdlib.h>
#include <sys/xattr.h>

#include "shim.h"

const char *credkit_secure_getenv(const char *name) { return secure_getenv(name); }

int credkit_spawn_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

char **credkit_environment(void) { return environ; }

long credkit_access_list_size(const char *path) { return getxattr(path, "system.posix_acl_access", NULL, 0); }
