// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "CCredKitCurl.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct credkit_curl_library library;

enum { MULTI_SOCKET_FUNCTION = 20001, MULTI_SOCKET_CONTEXT = 10002, MULTI_TIMER_FUNCTION = 20004, MULTI_TIMER_CONTEXT = 10005 };
enum {
    BODY_CONTEXT = 10001,
    UPLOAD_CONTEXT = 10009,
    BODY_FUNCTION = 20011,
    UPLOAD_FUNCTION = 20012,
    HEAD_CONTEXT = 10029,
    HEAD_FUNCTION = 20079,
    TLS_FUNCTION = 20108,
    TLS_CONTEXT = 10109,
    OPEN_SOCKET_FUNCTION = 20163,
    CLOSE_SOCKET_FUNCTION = 20208,
    BEFORE_REQUEST_FUNCTION = 20312,
    BEFORE_REQUEST_CONTEXT = 10313,
};

int credkit_curl_library_load(const char **problem) {
    // libcurl would write the keys of TLS connections to the file that this variable names.
    unsetenv("SSLKEYLOGFILE");
    // Never closed: connections and threads of libcurl may outlive every use of it. Lazy binding, because
    // libcurl depends on about thirty libraries and calls few of their functions.
    void *handle = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) {
        *problem = dlerror();
        return 0;
    }
#define LOAD(result, name, parameters) \
    *(void **)&library.name = dlsym(handle, #name); \
    if (library.name == NULL) { \
        *problem = dlerror(); \
        return 0; \
    }
    CREDKIT_CURL_FUNCTIONS(LOAD)
    const credkit_curl_version *version = library.curl_version_info(CREDKIT_CURL_VERSION_NOW);
    if (version->ssl_version == NULL || strncmp(version->ssl_version, "OpenSSL/3", 9) != 0) {
        *problem = "libcurl.so.4 does not use OpenSSL 3";
        return 0;
    }
    if (version->version_number < 0x075100) {
        *problem = "libcurl.so.4 is older than 7.81";
        return 0;
    }
    // A lookup through libcurl's handle finds the libssl that libcurl uses.
    CREDKIT_SSL_FUNCTIONS(LOAD)
#undef LOAD
    if (library.curl_global_init(CREDKIT_CURL_GLOBAL_DEFAULT) != 0) {
        *problem = "libcurl.so.4 cannot be initialized";
        return 0;
    }
    return 1;
}

const struct credkit_curl_library *credkit_curl_functions(void) { return &library; }

int credkit_curl_set_long(credkit_curl_easy *easy, int option, long value) {
    return library.curl_easy_setopt(easy, option, value);
}

int credkit_curl_set_size(credkit_curl_easy *easy, int option, int64_t value) {
    return library.curl_easy_setopt(easy, option, value);
}

int credkit_curl_set_pointer(credkit_curl_easy *easy, int option, const void *value) {
    return library.curl_easy_setopt(easy, option, value);
}

int credkit_curl_set_blob(credkit_curl_easy *easy, int option, const void *bytes, size_t count) {
    // struct curl_blob. The bytes are copied.
    struct {
        void *data;
        size_t count;
        unsigned flags;
    } blob = {(void *)bytes, count, 1};
    return library.curl_easy_setopt(easy, option, &blob);
}

int credkit_curl_get_long(credkit_curl_easy *easy, int info, long *value) {
    return library.curl_easy_getinfo(easy, info, value);
}

int credkit_curl_get_time(credkit_curl_easy *easy, int info, int64_t *microseconds) {
    return library.curl_easy_getinfo(easy, info, microseconds);
}

static credkit_curl_socket_note note_socket;

void credkit_curl_note_sockets(credkit_curl_socket_note note) { note_socket = note; }

// Close-on-exec: child processes must not inherit connections.
static int open_socket(void *context, int purpose, credkit_curl_address *address) {
    (void)context;
    (void)purpose;
    int descriptor = socket(address->family, address->type | SOCK_CLOEXEC, address->protocol);
    if (descriptor < 0) return descriptor;
    // Give up a peer that disappeared silently: an HTTP/2 connection is not closed when one of its requests
    // ends.
    unsigned milliseconds = 30000;
    setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    note_socket(descriptor, 1);
    return descriptor;
}

static int close_socket(void *context, int descriptor) {
    (void)context;
    note_socket(descriptor, 0);
    return close(descriptor);
}

int credkit_curl_set_callbacks(
    credkit_curl_easy *easy, void *context, credkit_curl_data head, credkit_curl_data body, credkit_curl_data upload,
    credkit_curl_before_request before_request, credkit_curl_tls_setup tls_setup) {
    const struct {
        int option;
        void *value;
    } settings[] = {
        {HEAD_FUNCTION, (void *)head},
        {HEAD_CONTEXT, context},
        {BODY_FUNCTION, (void *)body},
        {BODY_CONTEXT, context},
        {UPLOAD_FUNCTION, (void *)upload},
        {UPLOAD_CONTEXT, context},
        {BEFORE_REQUEST_FUNCTION, (void *)before_request},
        {BEFORE_REQUEST_CONTEXT, context},
        {TLS_FUNCTION, (void *)tls_setup},
        {TLS_CONTEXT, context},
        {OPEN_SOCKET_FUNCTION, (void *)open_socket},
        {CLOSE_SOCKET_FUNCTION, (void *)close_socket},
        {CREDKIT_CURL_POINTER_PRIVATE, context},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        int result = library.curl_easy_setopt(easy, settings[i].option, settings[i].value);
        if (result != 0) return result;
    }
    return 0;
}

int credkit_curl_multi_set_long(credkit_curl_multi *multi, int option, long value) {
    return library.curl_multi_setopt(multi, option, value);
}

int credkit_curl_multi_set_callbacks(
    credkit_curl_multi *multi, void *context, credkit_curl_socket socket, credkit_curl_timer timer) {
    int result = library.curl_multi_setopt(multi, MULTI_SOCKET_FUNCTION, socket);
    if (result == 0) result = library.curl_multi_setopt(multi, MULTI_SOCKET_CONTEXT, context);
    if (result == 0) result = library.curl_multi_setopt(multi, MULTI_TIMER_FUNCTION, timer);
    if (result == 0) result = library.curl_multi_setopt(multi, MULTI_TIMER_CONTEXT, context);
    return result;
}

void *credkit_curl_context(credkit_curl_easy *easy) {
    void *context = NULL;
    library.curl_easy_getinfo(easy, CREDKIT_CURL_INFO_PRIVATE, &context);
    return context;
}

credkit_ssl *credkit_curl_tls(credkit_curl_easy *easy) {
    // struct curl_tlssessioninfo.
    struct {
        int backend;
        void *internals;
    } *info = NULL;
    if (library.curl_easy_getinfo(easy, CREDKIT_CURL_INFO_TLS, &info) != 0 || info == NULL) return NULL;
    return info->internals;
}
