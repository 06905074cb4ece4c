// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_PSL_H
#define CREDKIT_PSL_H

// The parts of libpsl that CredKit calls. It is loaded at the first lookup of a domain; it is neither linked
// nor needed at build time, because it depends on libidn2 and libunistring, and most commands look up no
// domain. script/test-linkage compares these declarations with libpsl's header.

// The type has its own name so that a program can also import libpsl's header.
typedef struct credkit_psl_list credkit_psl_list;

// PSL_TYPE_ICANN: the section of the list with registry suffixes.
enum { CREDKIT_PSL_ICANN = 1 };

// F(result, name, (parameters))
#define CREDKIT_PSL_FUNCTIONS(F) \
    F(credkit_psl_list *, psl_latest, (const char *file)) \
    F(int, psl_is_public_suffix, (const credkit_psl_list *, const char *domain)) \
    F(int, psl_is_public_suffix2, (const credkit_psl_list *, const char *domain, int sections)) \
    F(const char *, psl_registrable_domain, (const credkit_psl_list *, const char *domain))

struct credkit_psl_library {
#define CREDKIT_PSL_MEMBER(result, name, parameters) result(*name) parameters;
    CREDKIT_PSL_FUNCTIONS(CREDKIT_PSL_MEMBER)
#undef CREDKIT_PSL_MEMBER
};

// Loads libpsl and resolves its functions. Returns 0 if the library or one of the functions is missing.
int credkit_psl_library_load(struct credkit_psl_library *library);

#endif
