// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_LINUX_SHIM_H
#define CREDKIT_LINUX_SHIM_H

// No header with types of the system, such as <fcntl.h>: Swift would look for `stat` and others in this module.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The kernel keyring (keyrings(7)). glibc has no functions for it, and Swift cannot call the variadic `syscall`.

// Adds a key of the type "user" to the keyring of this process, which ends with it, or replaces its payload. Returns the
// key's number, or -1 with errno.
int32_t credkit_key_add(const char *description, const void *payload, size_t size);

// Links a key into the user's keyring, in place of a key with the same description. Returns 0, or -1 with errno.
long credkit_key_link(int32_t key);

// Removes a key from the keyring of this process. Returns 0, or -1 with errno.
long credkit_key_unlink(int32_t key);

// Lists the numbers of the keys in the user's keyring. Returns the size of the whole list in bytes, or -1 with errno.
long credkit_key_list(int32_t *keys, size_t size);

// Describes a key: "type;uid;gid;permissions;description", with a NUL at the end. Returns the size of the whole text in
// bytes, or -1 with errno.
long credkit_key_describe(int32_t key, char *buffer, size_t size);

// Returns the number of a key in the user's keyring, or -1 with errno.
int32_t credkit_key_find(const char *description);

// Reads a key's payload. Returns its size, or -1 with errno.
long credkit_key_read(int32_t key, void *buffer, size_t size);

// Sets the number of seconds after which a key expires. Returns 0, or -1 with errno.
long credkit_key_set_timeout(int32_t key, unsigned seconds);

// Sets the permissions of a key. Returns 0, or -1 with errno.
long credkit_key_set_permissions(int32_t key, uint32_t permissions);

// Revokes a key: it is unusable at once. Returns 0, or -1 with errno.
long credkit_key_revoke(int32_t key);

// Creates a pipe that child processes do not inherit: Swift cannot call glibc's pipe2. Returns 0, or -1 with errno.
long credkit_pipe(int *ends);

// Renames a file unless a file has the new name: Swift does not import renameat2(2). Returns 0, or -1 with errno.
int credkit_rename_new(int folder, const char *name, const char *new_name);

// Returns whether a file is one of `/proc`, whose links only the kernel can follow. Swift does not import fstatfs.
bool credkit_is_process_file(int file);

// Denies other processes of the same user access to this process's memory, and the kernel a core dump of it. Returns 0,
// or -1 with errno. Swift cannot call the variadic `prctl`.
int credkit_deny_memory_access(void);

// Returns an environment variable's value. Returns NULL if it is not set, or if this program runs with the privileges of
// another user than its caller.
const char *credkit_secure_getenv(const char *name);

// Adds to the actions of posix_spawn(3) that all descriptors from a number on are closed. Returns 0, or an error number.
// The type is not named here: with <spawn.h> in this header, Swift would look for other types of glibc in this module.
int credkit_spawn_close_from(void *actions, int first);

// The flag of posix_spawn(3) for a process without a terminal, in a session and a group of its own. Swift does not import it.
int credkit_spawn_new_session(void);

// Accepts a connection that child processes do not inherit, and that never blocks: Swift cannot call glibc's accept4. Returns
// its descriptor, or -1 with errno.
int credkit_accept(int listener);

// Finds the user of the socket at one end of a TCP connection within this computer. Both ends are a sockaddr_in or a
// sockaddr_in6.
// Returns 1 if the connection is open, and 0 if the process has closed that end. Otherwise a negative number of errno: ENOENT if
// there is no such connection, and others if this kernel does not tell.
int credkit_tcp_user(const void *address, const void *peer, uint32_t *user);

// Returns the size of the access control list of a file; -1 with errno if it has none. Swift does not import getxattr(2).
long credkit_access_list_size(const char *path);

// Gives a file the access control list of another one. Returns 0, or -1 with errno, also for a list of more than some 2,000
// entries.
int credkit_access_list_copy(const char *source, const char *target);

// Removes the access control list of a file. Returns 0, or -1 with errno.
int credkit_access_list_remove(const char *path);

// Returns the variables of the environment; NULL after clearenv(3), which Swift's `environ` does not allow for.
char **credkit_environment(void);

// Creates a file in memory, without a name, which child processes do not inherit. Returns its descriptor, or -1 with errno.
int credkit_memory_file(void);

// Makes a file in memory readable by this user alone, and seals it against changes. Returns 0, or -1 with errno.
int credkit_memory_file_seal(int file);

// Replaces this program by another one, which is searched for in PATH. `arguments` are strings one after the other, each
// with a NUL at its end, the name of the program first. `variables` are the same, of the form NAME=VALUE; they replace those
// of the environment. The program does not get the variable `hidden` of the environment. Returns the error number.
int credkit_execute(
    const void *arguments, size_t argument_count, const void *variables, size_t variable_count, const char *hidden);

// Signals that are only recorded, while the settings of a terminal are changed and must be restored. The state is in a
// C file: a variable in a header would be duplicated in each object file, and an optimized build makes several of one
// module.

// Records a signal from now on, unless it is ignored. Returns 1 and the previous action (a `sigaction`), or 0 if the action
// is unchanged.
int credkit_signal_note(int number, void *previous);

// Returns the last recorded signal and clears it; 0 if no signal was recorded.
int credkit_signal_take(void);

// How many processors this process may run on. Swift has no access to `sched_getaffinity`.
int credkit_processor_count(void);

#endif
