// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_CURL_H
#define CREDKIT_CURL_H

// The parts of libcurl, and of the libssl that libcurl uses, that CredKit calls. Both are loaded when the
// first request is sent; they are neither linked nor needed at build time. Most commands send no request, and
// loading takes longer than most commands run. script/test-linkage compares the numbers and functions here
// with libcurl's own headers.

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// The types have their own names so that a program can also import libcurl's headers.
typedef struct credkit_curl_easy credkit_curl_easy;
typedef struct credkit_curl_multi credkit_curl_multi;
typedef struct credkit_ssl credkit_ssl;
typedef struct credkit_ssl_ctx credkit_ssl_ctx;
typedef struct credkit_bio credkit_bio;
typedef struct credkit_x509 credkit_x509;
typedef struct credkit_x509_store_ctx credkit_x509_store_ctx;
typedef struct credkit_x509_verify_param credkit_x509_verify_param;

// struct curl_slist: a list of strings that libcurl reads and does not change.
typedef struct credkit_curl_list {
    char *text;
    struct credkit_curl_list *next;
} credkit_curl_list;

// struct CURLMsg.
typedef struct credkit_curl_message {
    int kind;
    credkit_curl_easy *easy;
    union {
        void *any;
        int result;
    } data;
} credkit_curl_message;

// The beginning of struct curl_version_info_data.
typedef struct credkit_curl_version {
    int age;
    const char *version;
    unsigned version_number;
    const char *host;
    int features;
    const char *ssl_version;
    long ssl_version_number;
    const char *libz_version;
    const char *const *protocols;
} credkit_curl_version;

// struct curl_sockaddr.
typedef struct credkit_curl_address {
    int family;
    int type;
    int protocol;
    unsigned length;
    struct sockaddr address;
} credkit_curl_address;

// Options of easy handles. O(our name, libcurl's name, number)
#define CREDKIT_CURL_OPTIONS(O) \
    O(LONG_BUFFER_SIZE, CURLOPT_BUFFERSIZE, 98) \
    O(LONG_CONNECT_TIMEOUT_MS, CURLOPT_CONNECTTIMEOUT_MS, 156) \
    O(LONG_DISALLOW_USERNAME, CURLOPT_DISALLOW_USERNAME_IN_URL, 278) \
    O(LONG_FORBID_REUSE, CURLOPT_FORBID_REUSE, 75) \
    O(LONG_FRESH_CONNECT, CURLOPT_FRESH_CONNECT, 74) \
    O(LONG_HEADER_OPTIONS, CURLOPT_HEADEROPT, 229) \
    O(LONG_HTTP_GET, CURLOPT_HTTPGET, 80) \
    O(LONG_HTTP_VERSION, CURLOPT_HTTP_VERSION, 84) \
    O(LONG_KEEP_SENDING, CURLOPT_KEEP_SENDING_ON_ERROR, 245) \
    O(LONG_NO_BODY, CURLOPT_NOBODY, 44) \
    O(LONG_NO_SIGNAL, CURLOPT_NOSIGNAL, 99) \
    O(LONG_PATH_AS_IS, CURLOPT_PATH_AS_IS, 234) \
    O(LONG_PIPE_WAIT, CURLOPT_PIPEWAIT, 237) \
    O(LONG_POST, CURLOPT_POST, 47) \
    O(LONG_PROTOCOLS, CURLOPT_PROTOCOLS, 181) \
    O(LONG_PROXY_AUTHENTICATION, CURLOPT_PROXYAUTH, 111) \
    O(LONG_PROXY_SSL_VERSION, CURLOPT_PROXY_SSLVERSION, 250) \
    O(LONG_PROXY_TYPE, CURLOPT_PROXYTYPE, 101) \
    O(LONG_QUICK_EXIT, CURLOPT_QUICK_EXIT, 322) \
    O(LONG_SOCKS5_AUTHENTICATION, CURLOPT_SOCKS5_AUTH, 267) \
    O(LONG_SSL_OPTIONS, CURLOPT_SSL_OPTIONS, 216) \
    O(LONG_SSL_VERSION, CURLOPT_SSLVERSION, 32) \
    O(LONG_SUPPRESS_CONNECT_HEADERS, CURLOPT_SUPPRESS_CONNECT_HEADERS, 265) \
    O(LONG_UPLOAD, CURLOPT_UPLOAD, 46) \
    O(TEXT_CA_FILE, CURLOPT_CAINFO, 10065) \
    O(TEXT_CA_FOLDER, CURLOPT_CAPATH, 10097) \
    O(TEXT_KEY_PASSWORD, CURLOPT_KEYPASSWD, 10026) \
    O(TEXT_METHOD, CURLOPT_CUSTOMREQUEST, 10036) \
    O(TEXT_NO_PROXY, CURLOPT_NOPROXY, 10177) \
    O(TEXT_PINNED_KEYS, CURLOPT_PINNEDPUBLICKEY, 10230) \
    O(TEXT_PROXY, CURLOPT_PROXY, 10004) \
    O(TEXT_PROXY_CA_FILE, CURLOPT_PROXY_CAINFO, 10246) \
    O(TEXT_PROXY_CA_FOLDER, CURLOPT_PROXY_CAPATH, 10247) \
    O(TEXT_PROXY_PASSWORD, CURLOPT_PROXYPASSWORD, 10176) \
    O(TEXT_PROXY_USERNAME, CURLOPT_PROXYUSERNAME, 10175) \
    O(TEXT_UNIX_SOCKET, CURLOPT_UNIX_SOCKET_PATH, 10231) \
    O(TEXT_URL, CURLOPT_URL, 10002) \
    O(POINTER_BODY, CURLOPT_POSTFIELDS, 10015) \
    O(POINTER_ERROR_BUFFER, CURLOPT_ERRORBUFFER, 10010) \
    O(POINTER_HEADERS, CURLOPT_HTTPHEADER, 10023) \
    O(POINTER_PRIVATE, CURLOPT_PRIVATE, 10103) \
    O(POINTER_PROXY_HEADERS, CURLOPT_PROXYHEADER, 10228) \
    O(POINTER_RESOLUTIONS, CURLOPT_RESOLVE, 10203) \
    O(BLOB_CA_FILE, CURLOPT_CAINFO_BLOB, 40309) \
    O(BLOB_CERTIFICATE, CURLOPT_SSLCERT_BLOB, 40291) \
    O(BLOB_KEY, CURLOPT_SSLKEY_BLOB, 40292) \
    O(BLOB_PROXY_CA_FILE, CURLOPT_PROXY_CAINFO_BLOB, 40310) \
    O(SIZE_BODY, CURLOPT_POSTFIELDSIZE_LARGE, 30120) \
    O(SIZE_UPLOAD, CURLOPT_INFILESIZE_LARGE, 30115)

// Values of options, callbacks and results. N(our name, libcurl's name, number). Headers before 8.6 have no name for the result
// TOO_LARGE, which follows another one.
#define CREDKIT_CURL_NUMBERS(N) \
    N(OK, CURLE_OK, 0) \
    N(UNSUPPORTED_PROTOCOL, CURLE_UNSUPPORTED_PROTOCOL, 1) \
    N(URL_MALFORMED, CURLE_URL_MALFORMAT, 3) \
    N(PROXY_NOT_RESOLVED, CURLE_COULDNT_RESOLVE_PROXY, 5) \
    N(HOST_NOT_RESOLVED, CURLE_COULDNT_RESOLVE_HOST, 6) \
    N(NOT_CONNECTED, CURLE_COULDNT_CONNECT, 7) \
    N(WEIRD_REPLY, CURLE_WEIRD_SERVER_REPLY, 8) \
    N(HTTP2_ERROR, CURLE_HTTP2, 16) \
    N(PARTIAL, CURLE_PARTIAL_FILE, 18) \
    N(WRITE_ERROR, CURLE_WRITE_ERROR, 23) \
    N(READ_ERROR, CURLE_READ_ERROR, 26) \
    N(OUT_OF_MEMORY, CURLE_OUT_OF_MEMORY, 27) \
    N(TIMED_OUT, CURLE_OPERATION_TIMEDOUT, 28) \
    N(SSL_CONNECT_ERROR, CURLE_SSL_CONNECT_ERROR, 35) \
    N(ABORTED, CURLE_ABORTED_BY_CALLBACK, 42) \
    N(GOT_NOTHING, CURLE_GOT_NOTHING, 52) \
    N(SEND_ERROR, CURLE_SEND_ERROR, 55) \
    N(RECEIVE_ERROR, CURLE_RECV_ERROR, 56) \
    N(CERTIFICATE_PROBLEM, CURLE_SSL_CERTPROBLEM, 58) \
    N(CIPHER_ERROR, CURLE_SSL_CIPHER, 59) \
    N(VERIFICATION_FAILED, CURLE_PEER_FAILED_VERIFICATION, 60) \
    N(BAD_CONTENT_ENCODING, CURLE_BAD_CONTENT_ENCODING, 61) \
    N(BAD_CA_FILE, CURLE_SSL_CACERT_BADFILE, 77) \
    N(PIN_MISMATCH, CURLE_SSL_PINNEDPUBKEYNOTMATCH, 90) \
    N(HTTP2_STREAM_ERROR, CURLE_HTTP2_STREAM, 92) \
    N(PROXY_ERROR, CURLE_PROXY, 97) \
    N(CLIENT_CERTIFICATE_NEEDED, CURLE_SSL_CLIENTCERT, 98) \
    N(TOO_LARGE, (CURLE_UNRECOVERABLE_POLL + 1), 100) \
    N(MESSAGE_DONE, CURLMSG_DONE, 1) \
    N(GLOBAL_DEFAULT, CURL_GLOBAL_DEFAULT, 3) \
    N(VERSION_NOW, CURLVERSION_NOW, 10) \
    N(PROTOCOLS_HTTP, (CURLPROTO_HTTP | CURLPROTO_HTTPS), 3) \
    N(HTTP_1_1, CURL_HTTP_VERSION_1_1, 2) \
    N(HTTP_2, CURL_HTTP_VERSION_2_0, 3) \
    N(HTTP_2_OVER_TLS, CURL_HTTP_VERSION_2TLS, 4) \
    N(TLS_1_2, CURL_SSLVERSION_TLSv1_2, 6) \
    N(HEADERS_SEPARATE, CURLHEADER_SEPARATE, 1) \
    N(AUTHENTICATION_BASIC, CURLAUTH_BASIC, 1) \
    N(PROXY_HTTP, CURLPROXY_HTTP, 0) \
    N(PROXY_HTTPS, CURLPROXY_HTTPS, 2) \
    N(PROXY_SOCKS5_HOSTNAME, CURLPROXY_SOCKS5_HOSTNAME, 7) \
    N(PAUSE_READING, CURL_READFUNC_PAUSE, 0x10000001) \
    N(ABORT_READING, CURL_READFUNC_ABORT, 0x10000000) \
    N(PAUSE_WRITING, CURL_WRITEFUNC_PAUSE, 0x10000001) \
    N(CONTINUE, CURLPAUSE_CONT, 0) \
    N(ABORT_REQUEST, CURL_PREREQFUNC_ABORT, 1) \
    N(SOCKET_TIMEOUT, CURL_SOCKET_TIMEOUT, -1) \
    N(SOCKET_BAD, CURL_SOCKET_BAD, -1) \
    N(POLL_IN, CURL_POLL_IN, 1) \
    N(POLL_OUT, CURL_POLL_OUT, 2) \
    N(POLL_BOTH, CURL_POLL_INOUT, 3) \
    N(POLL_REMOVE, CURL_POLL_REMOVE, 4) \
    N(EVENT_IN, CURL_CSELECT_IN, 1) \
    N(EVENT_OUT, CURL_CSELECT_OUT, 2) \
    N(EVENT_ERROR, CURL_CSELECT_ERR, 4) \
    N(ERROR_SIZE, CURL_ERROR_SIZE, 256) \
    N(INFO_CONNECT_CODE, CURLINFO_HTTP_CONNECTCODE, 0x200016) \
    N(INFO_CONNECT_COUNT, CURLINFO_NUM_CONNECTS, 0x20001A) \
    N(INFO_HTTP_VERSION, CURLINFO_HTTP_VERSION, 0x20002E) \
    N(INFO_SYSTEM_ERROR, CURLINFO_OS_ERRNO, 0x200019) \
    N(INFO_CONNECT_TIME, CURLINFO_CONNECT_TIME_T, 0x600034) \
    N(INFO_UPLOAD_COUNT, CURLINFO_SIZE_UPLOAD_T, 0x600007) \
    N(INFO_PRIVATE, CURLINFO_PRIVATE, 0x100015) \
    N(INFO_TLS, CURLINFO_TLS_SSL_PTR, 0x40002D) \
    N(MULTI_MAX_CONNECTIONS, CURLMOPT_MAXCONNECTS, 6)

enum {
#define CREDKIT_CURL_ENTRY(name, original, number) CREDKIT_CURL_##name = number,
    CREDKIT_CURL_OPTIONS(CREDKIT_CURL_ENTRY)
    CREDKIT_CURL_NUMBERS(CREDKIT_CURL_ENTRY)
#undef CREDKIT_CURL_ENTRY
};

// Callbacks. Each receives the context that was set with it.
typedef size_t (*credkit_curl_data)(char *bytes, size_t size, size_t count, void *context);
typedef int (*credkit_curl_before_request)(
    void *context, char *peer_address, char *own_address, int peer_port, int own_port);
typedef int (*credkit_curl_tls_setup)(credkit_curl_easy *, credkit_ssl_ctx *, void *context);
typedef int (*credkit_curl_socket)(credkit_curl_easy *, int descriptor, int what, void *context, void *of_socket);
typedef int (*credkit_curl_timer)(credkit_curl_multi *, long milliseconds, void *context);
typedef void (*credkit_curl_socket_note)(int descriptor, int is_open);
typedef int (*credkit_ssl_verify)(int is_valid, credkit_x509_store_ctx *);
typedef void (*credkit_ssl_info)(const credkit_ssl *, int event, int value);

// F(result, name, (parameters))
#define CREDKIT_CURL_FUNCTIONS(F) \
    F(int, curl_global_init, (long flags)) \
    F(credkit_curl_version *, curl_version_info, (int age)) \
    F(credkit_curl_easy *, curl_easy_init, (void)) \
    F(void, curl_easy_cleanup, (credkit_curl_easy *)) \
    F(void, curl_easy_reset, (credkit_curl_easy *)) \
    F(int, curl_easy_pause, (credkit_curl_easy *, int what)) \
    F(int, curl_easy_setopt, (credkit_curl_easy *, int option, ...)) \
    F(int, curl_easy_getinfo, (credkit_curl_easy *, int info, ...)) \
    F(credkit_curl_multi *, curl_multi_init, (void)) \
    F(int, curl_multi_cleanup, (credkit_curl_multi *)) \
    F(int, curl_multi_setopt, (credkit_curl_multi *, int option, ...)) \
    F(int, curl_multi_add_handle, (credkit_curl_multi *, credkit_curl_easy *)) \
    F(int, curl_multi_remove_handle, (credkit_curl_multi *, credkit_curl_easy *)) \
    F(int, curl_multi_socket_action, (credkit_curl_multi *, int descriptor, int events, int *running)) \
    F(credkit_curl_message *, curl_multi_info_read, (credkit_curl_multi *, int *left))

// Functions of the libssl that libcurl uses.
#define CREDKIT_SSL_FUNCTIONS(F) \
    F(credkit_x509_verify_param *, SSL_CTX_get0_param, (credkit_ssl_ctx *)) \
    F(void, SSL_CTX_set_security_level, (credkit_ssl_ctx *, int level)) \
    F(uint64_t, SSL_CTX_set_options, (credkit_ssl_ctx *, uint64_t options)) \
    F(void, SSL_CTX_set_keylog_callback, (credkit_ssl_ctx *, void (*)(const credkit_ssl *, const char *))) \
    F(void, SSL_CTX_set_verify, (credkit_ssl_ctx *, int mode, credkit_ssl_verify)) \
    F(void, SSL_CTX_set_info_callback, (credkit_ssl_ctx *, credkit_ssl_info)) \
    F(int, SSL_set_ex_data, (credkit_ssl *, int index, void *)) \
    F(void *, SSL_get_ex_data, (const credkit_ssl *, int index)) \
    F(int, SSL_CTX_set_ex_data, (credkit_ssl_ctx *, int index, void *)) \
    F(void *, SSL_CTX_get_ex_data, (const credkit_ssl_ctx *, int index)) \
    F(credkit_ssl_ctx *, SSL_get_SSL_CTX, (const credkit_ssl *)) \
    F(credkit_bio *, SSL_get_rbio, (const credkit_ssl *)) \
    F(void, SSL_set0_rbio, (credkit_ssl *, credkit_bio *)) \
    F(int, SSL_has_pending, (const credkit_ssl *)) \
    F(void, SSL_get0_alpn_selected, (const credkit_ssl *, const unsigned char **name, unsigned *count)) \
    F(int, SSL_get_ex_data_X509_STORE_CTX_idx, (void)) \
    F(credkit_x509 *, SSL_get1_peer_certificate, (const credkit_ssl *)) \
    F(int, SSL_version, (const credkit_ssl *)) \
    F(long, SSL_ctrl, (credkit_ssl *, int command, long, void *)) \
    F(int, SSL_export_keying_material, \
        (credkit_ssl *, unsigned char *, size_t count, const char *label, size_t label_count, \
         const unsigned char *context, size_t context_count, int uses_context))

struct credkit_curl_library {
#define CREDKIT_CURL_MEMBER(result, name, parameters) result (*name) parameters;
    CREDKIT_CURL_FUNCTIONS(CREDKIT_CURL_MEMBER)
    CREDKIT_SSL_FUNCTIONS(CREDKIT_CURL_MEMBER)
#undef CREDKIT_CURL_MEMBER
};

// Loads and initializes libcurl, which then stays loaded for the life of the process. Call it from one thread
// at a time, and again only after a failure.
//
// - Parameter problem: Receives the reason for a failure: the missing file or function.
// - Returns: 1 if libcurl is loaded, 0 if not.
int credkit_curl_library_load(const char **problem);

// The functions, once the library is loaded.
const struct credkit_curl_library *credkit_curl_functions(void);

// Wrappers of variadic functions, which Swift cannot call. Each returns 0, or libcurl's error.
int credkit_curl_set_long(credkit_curl_easy *, int option, long value);
int credkit_curl_set_size(credkit_curl_easy *, int option, int64_t value);
int credkit_curl_set_pointer(credkit_curl_easy *, int option, const void *value);
int credkit_curl_set_blob(credkit_curl_easy *, int option, const void *bytes, size_t count);
int credkit_curl_get_long(credkit_curl_easy *, int info, long *value);
int credkit_curl_get_time(credkit_curl_easy *, int info, int64_t *microseconds);
int credkit_curl_set_callbacks(
    credkit_curl_easy *, void *context, credkit_curl_data head, credkit_curl_data body, credkit_curl_data upload,
    credkit_curl_before_request before_request, credkit_curl_tls_setup tls_setup);
// Sets a function that is called after a socket is opened and before it is closed, on the thread that does
// so.
void credkit_curl_note_sockets(credkit_curl_socket_note);
int credkit_curl_multi_set_long(credkit_curl_multi *, int option, long value);
int credkit_curl_multi_set_callbacks(
    credkit_curl_multi *, void *context, credkit_curl_socket socket, credkit_curl_timer timer);

// Returns the context of a handle's callbacks.
void *credkit_curl_context(credkit_curl_easy *);

// Returns the TLS connection (libssl's SSL) that a handle's request is about to be sent over; NULL without
// TLS.
credkit_ssl *credkit_curl_tls(credkit_curl_easy *);

// epoll(7) and eventfd(2), which Swift does not import. Each returns a descriptor, a count or 0; -1 with
// errno on failure.
int credkit_epoll_create(void);
int credkit_epoll_set(int epoll, int descriptor, int what, uint64_t tag);

// Registers an eventfd that reports every write to it and need not be read.
int credkit_epoll_add_wake_up(int epoll, int descriptor, uint64_t tag);
int credkit_epoll_remove(int epoll, int descriptor);
int credkit_eventfd_create(void);
struct credkit_epoll_event {
    uint64_t tag;
    int events;
};
int credkit_epoll_wait(int epoll, struct credkit_epoll_event *events, int count, int milliseconds);

// Gets the endpoints of a connected socket: the peer's address as text, and both ports.
//
// - Returns: 0; -1 if the socket is not connected, or is neither IPv4 nor IPv6.
enum { CREDKIT_ADDRESS_SIZE = 46 };
int credkit_socket_ends(int descriptor, char peer[CREDKIT_ADDRESS_SIZE], int *peer_port, int *own_port);

// Returns whether a socket has received nothing, not even the end of the stream.
int credkit_socket_is_silent(int descriptor);

#endif
