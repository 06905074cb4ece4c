// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_PQ_H
#define CREDKIT_PQ_H

// The parts of libpq that CredKit calls. It is loaded by the first client of PostgreSQL; it is neither linked nor needed at
// build time, because few programs have one. script/test-linkage compares these declarations with libpq's header.

// The types have names of their own so that a program can also import libpq's header.
typedef struct credkit_pq_connection credkit_pq_connection;
typedef struct credkit_pq_result credkit_pq_result;
typedef struct credkit_pq_cancel credkit_pq_cancel;
typedef struct credkit_pq_tls credkit_pq_tls;
typedef struct credkit_pq_certificates credkit_pq_certificates;

// PQconninfoOption.
typedef struct {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} credkit_pq_option;

// ConnStatusType, PostgresPollingStatusType, ExecStatusType, PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY,
// PG_DIAG_CONTEXT, PG_DIAG_SOURCE_FUNCTION, PGVerbosity.
enum { CREDKIT_PQ_OK = 0, CREDKIT_PQ_MADE = 3 };
enum { CREDKIT_PQ_POLL_FAILED = 0, CREDKIT_PQ_POLL_READING = 1, CREDKIT_PQ_POLL_WRITING = 2, CREDKIT_PQ_POLL_OK = 3 };
enum { CREDKIT_PQ_COMMAND_OK = 1, CREDKIT_PQ_TUPLES_OK = 2, CREDKIT_PQ_PIPELINE_SYNC = 10, CREDKIT_PQ_PIPELINE_ABORTED = 11 };
enum { CREDKIT_PQ_SQLSTATE = 'C', CREDKIT_PQ_MESSAGE = 'M', CREDKIT_PQ_CONTEXT = 'W', CREDKIT_PQ_FUNCTION = 'R' };
enum { CREDKIT_PQ_VERBOSE = 2 };

typedef void (*credkit_pq_receiver)(void *context, const credkit_pq_result *result);

// F(result, name, (parameters))
#define CREDKIT_PQ_FUNCTIONS(F) \
    F(credkit_pq_option *, PQconninfoParse, (const char *text, char **message)) \
    F(credkit_pq_option *, PQconndefaults, (void)) \
    F(void, PQconninfoFree, (credkit_pq_option *)) \
    F(void, PQfreemem, (void *)) \
    F(credkit_pq_connection *, PQconnectStartParams, (const char *const *names, const char *const *values, int expand)) \
    F(int, PQconnectPoll, (credkit_pq_connection *)) \
    F(int, PQstatus, (const credkit_pq_connection *)) \
    F(int, PQsocket, (const credkit_pq_connection *)) \
    F(char *, PQhost, (const credkit_pq_connection *)) \
    F(char *, PQerrorMessage, (const credkit_pq_connection *)) \
    F(int, PQsslInUse, (credkit_pq_connection *)) \
    F(void *, PQsslStruct, (credkit_pq_connection *, const char *name)) \
    F(int, PQsetErrorVerbosity, (credkit_pq_connection *, int verbosity)) \
    F(credkit_pq_receiver, PQsetNoticeReceiver, (credkit_pq_connection *, credkit_pq_receiver, void *context)) \
    F(int, PQsetnonblocking, (credkit_pq_connection *, int)) \
    F(int, PQsendQueryParams, \
      (credkit_pq_connection *, const char *text, int count, const unsigned *types, const char *const *values, \
       const int *lengths, const int *formats, int result_format)) \
    F(int, PQsendPrepare, \
      (credkit_pq_connection *, const char *name, const char *text, int count, const unsigned *types)) \
    F(int, PQsendQueryPrepared, \
      (credkit_pq_connection *, const char *name, int count, const char *const *values, const int *lengths, \
       const int *formats, int result_format)) \
    F(int, PQbackendPID, (const credkit_pq_connection *)) \
    F(int, PQenterPipelineMode, (credkit_pq_connection *)) \
    F(int, PQpipelineSync, (credkit_pq_connection *)) \
    F(int, PQflush, (credkit_pq_connection *)) \
    F(int, PQconsumeInput, (credkit_pq_connection *)) \
    F(int, PQisBusy, (credkit_pq_connection *)) \
    F(credkit_pq_result *, PQgetResult, (credkit_pq_connection *)) \
    F(void, PQfinish, (credkit_pq_connection *)) \
    F(credkit_pq_cancel *, PQgetCancel, (credkit_pq_connection *)) \
    F(int, PQcancel, (credkit_pq_cancel *, char *message, int size)) \
    F(void, PQfreeCancel, (credkit_pq_cancel *)) \
    F(int, PQresultStatus, (const credkit_pq_result *)) \
    F(char *, PQresultErrorField, (const credkit_pq_result *, int field)) \
    F(int, PQntuples, (const credkit_pq_result *)) \
    F(int, PQnfields, (const credkit_pq_result *)) \
    F(unsigned, PQftype, (const credkit_pq_result *, int column)) \
    F(int, PQgetisnull, (const credkit_pq_result *, int row, int column)) \
    F(char *, PQgetvalue, (const credkit_pq_result *, int row, int column)) \
    F(int, PQgetlength, (const credkit_pq_result *, int row, int column)) \
    F(void, PQclear, (credkit_pq_result *))

// Of the libssl and the libcrypto that libpq uses.
#define CREDKIT_PQ_TLS_FUNCTIONS(F) \
    F(credkit_pq_certificates *, SSL_get_peer_cert_chain, (const credkit_pq_tls *)) \
    F(int, OPENSSL_sk_num, (const credkit_pq_certificates *)) \
    F(void *, OPENSSL_sk_value, (const credkit_pq_certificates *, int index)) \
    F(int, i2d_X509, (const void *certificate, unsigned char **output))

struct credkit_pq_library {
#define CREDKIT_PQ_MEMBER(result, name, parameters) result(*name) parameters;
    CREDKIT_PQ_FUNCTIONS(CREDKIT_PQ_MEMBER)
    CREDKIT_PQ_TLS_FUNCTIONS(CREDKIT_PQ_MEMBER)
#undef CREDKIT_PQ_MEMBER
};

// Loads libpq and resolves its functions. Returns 0 if the library or one of the functions is missing; `problem` becomes the
// reason.
int credkit_pq_library_load(struct credkit_pq_library *library, const char **problem);

#endif
