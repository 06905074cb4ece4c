// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Functions of glibc that Swift does not import.
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "shim.h"

long credkit_pipe(int *ends) { return syscall(SYS_pipe2, ends, O_CLOEXEC); }

int credkit_deny_memory_access(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

const char *credkit_secure_getenv(const char *name) { return secure_getenv(name); }

int credkit_spawn_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int credkit_spawn_new_session(void) { return POSIX_SPAWN_SETSID; }

int credkit_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

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

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x8U
#endif

int credkit_memory_file(void) {
    // Systems can require the last flag. Linux before 6.3 does not know it.
    int file = memfd_create("credkit", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (file >= 0 || errno != EINVAL) return file;
    return memfd_create("credkit", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int credkit_memory_file_seal(int file) {
    // Programs refuse files with passwords or keys that others can read.
    if (fchmod(file, 0400) != 0) return -1;
    return fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
}

// Lists the strings of a block, each of which has a NUL at its end.
static void list_strings(const char *block, size_t count, char **list) {
    for (size_t index = 0; index < count; index++) {
        list[index] = (char *)block;
        block += strlen(block) + 1;
    }
}

// Whether a variable of the form NAME=VALUE has a name. The name ends in a NUL or an equals sign.
static bool has_name(const char *variable, const char *name) {
    size_t length = strcspn(name, "=");
    return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

int credkit_execute(
    const void *arguments, size_t argument_count, const void *variables, size_t variable_count, const char *hidden) {
    size_t inherited_count = 0;
    while (environ != NULL && environ[inherited_count] != NULL) inherited_count++;
    char **words = calloc(argument_count + 1, sizeof *words);
    char **environment = calloc(variable_count + inherited_count + 1, sizeof *environment);
    if (words == NULL || environment == NULL || argument_count == 0) {
        free(words);
        free(environment);
        return argument_count == 0 ? EINVAL : ENOMEM;
    }
    list_strings(arguments, argument_count, words);
    list_strings(variables, variable_count, environment);
    size_t end = variable_count;
    for (size_t index = 0; index < inherited_count; index++) {
        bool is_kept = !has_name(environ[index], hidden);
        for (size_t other = 0; other < variable_count && is_kept; other++) {
            is_kept = !has_name(environ[index], environment[other]);
        }
        if (is_kept) environment[end++] = environ[index];
    }
    execvpe(words[0], words, environment);
    int failure = errno;
    free(words);
    free(environment);
    return failure;
}
