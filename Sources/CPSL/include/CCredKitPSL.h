// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_PSL_H
#define CREDKIT_PSL_H

// What is used of libpsl. It is loaded when a domain is first looked up, and neither linked nor needed to build: it brings
// libidn2 and libunistring, and most commands have nothing to do with domains. script/test-linkage compares what stands
// here with libpsl's header.

// The type has a name of its own, for programs that import the true one beside this.
typedef struct credkit_psl_list credkit_psl_list;

// PSL_TYPE_ICANN: the section of the list with the suffixes of registries.
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

// Loads libpsl and looks its functions up. Returns 0 if it is not there or lacks one of them.
int credkit_psl_library_load(struct credkit_psl_library *library);

#endif
