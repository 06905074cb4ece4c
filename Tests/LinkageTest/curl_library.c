// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares CredKit's declarations of libcurl's and libssl's constants and functions with the libraries' own headers.
// Only compiled, never run: each difference is a compiler error.
#include <curl/curl.h>
#include <openssl/ssl.h>

#define credkit_ssl ssl_st
#define credkit_ssl_ctx ssl_ctx_st
#define credkit_x509 x509_st
#define credkit_bio bio_st
#define credkit_x509_store_ctx x509_store_ctx_st
#define credkit_x509_verify_param X509_VERIFY_PARAM_st
#include "CCredKitCurl.h"

#define COMPARE(name, original, number) _Static_assert((long)(number) == (long)(original), #original);
CREDKIT_CURL_OPTIONS(COMPARE)
CREDKIT_CURL_NUMBERS(COMPARE)
#undef COMPARE

// OpenSSL declares these with types of the same names; libcurl's use enumerations and handles, which are compared by
// size.
#define COMPARE(result, name, parameters) result(*const compare_##name) parameters = name;
CREDKIT_SSL_FUNCTIONS(COMPARE)
#undef COMPARE
#define COMPARE(result, name, parameters) result(*const compare_##name) parameters = (void *)name;
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
CREDKIT_CURL_FUNCTIONS(COMPARE)
#undef COMPARE

#define SAME(type, member, original, theirs) \
    _Static_assert(offsetof(type, member) == offsetof(original, theirs), #original "." #theirs);
SAME(credkit_curl_list, text, struct curl_slist, data)
SAME(credkit_curl_list, next, struct curl_slist, next)
SAME(credkit_curl_message, kind, CURLMsg, msg)
SAME(credkit_curl_message, easy, CURLMsg, easy_handle)
SAME(credkit_curl_message, data, CURLMsg, data)
SAME(credkit_curl_version, version_number, curl_version_info_data, version_num)
SAME(credkit_curl_version, ssl_version, curl_version_info_data, ssl_version)
SAME(credkit_curl_address, type, struct curl_sockaddr, socktype)
SAME(credkit_curl_address, protocol, struct curl_sockaddr, protocol)
SAME(credkit_curl_address, address, struct curl_sockaddr, addr)
_Static_assert(sizeof(struct curl_blob) == 2 * sizeof(void *) + 8 && CURL_BLOB_COPY == 1, "struct curl_blob");
_Static_assert(SSL_OP_NO_RENEGOTIATION == 1 << 30 && SSL_CTRL_GET_EXTMS_SUPPORT == 122 && SSL_VERIFY_PEER == 1, "OpenSSL");
