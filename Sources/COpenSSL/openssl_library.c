// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "CCredKitOpenSSL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TEXT(number) #number
#define FILE_NAME(version) "libcrypto.so." TEXT(version)
static const char file_name[] = FILE_NAME(OPENSSL_SHLIB_VERSION);

// One text, because a table of texts would have to be relocated when a program starts.
#define NAME(name) #name "\0"
static const char names[] = CREDKIT_OPENSSL_FUNCTIONS(NAME);

#define ONE(name) +1
enum { COUNT = 0 CREDKIT_OPENSSL_FUNCTIONS(ONE) };

/// The addresses of the functions in their order, on pages of their own; zeros before libcrypto is loaded.
extern void *credkit_openssl_addresses[], *credkit_openssl_addresses_end[];

static int ignores_configuration = 0;

static _Noreturn void fail(const char *problem) {
    fprintf(stderr, "CredKit cannot load %s: %s (needed is OpenSSL 3; on Debian and Ubuntu: apt-get install libssl3)\n",
            file_name, problem);
    _exit(127);
}

static void *find(void *library, const char *name) {
    void *address = library == NULL ? NULL : dlsym(library, name);
    if (address != NULL) return address;
    fail(dlerror());
}

static void load(void) {
    // In a child of a process that was forked while it did this, glibc does it again, where writing may no longer be possible.
    if (credkit_openssl_addresses[COUNT - 1] != NULL) return;
    // Never closed: threads may use it until the process ends.
    void *library = dlopen(file_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    int (*start)(uint64_t, const OPENSSL_INIT_SETTINGS *);
    *(void **)&start = find(library, "OPENSSL_init_crypto");
    if (start(OPENSSL_INIT_NO_ATEXIT | (ignores_configuration ? OPENSSL_INIT_NO_LOAD_CONFIG : 0), NULL) != 1) {
        fail("it cannot be initialized");
    }
    void **address = credkit_openssl_addresses;
    for (const char *name = names; *name != 0; name += strlen(name) + 1, address++) {
        __atomic_store_n(address, find(library, name), __ATOMIC_RELEASE);
    }
    // What can write there can choose what is called. If the system refuses, they stay as those of a linked library without
    // this protection.
    mprotect(credkit_openssl_addresses,
             (size_t)((char *)credkit_openssl_addresses_end - (char *)credkit_openssl_addresses), PROT_READ);
}

void credkit_openssl_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}

void credkit_openssl_ignore_configuration(void) {
    ignores_configuration = 1;
    // A module of the system's user database can call libcrypto before CredKit does. Then it reads the system's file; but not
    // what the environment names.
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (strncmp(*entry, "OPENSSL_", strlen("OPENSSL_")) == 0) return credkit_openssl_load();
    }
}
