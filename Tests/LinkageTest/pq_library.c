// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares CredKit's declarations of libpq's functions with libpq's own header. Only compiled, never run: each different type
// is a compiler error.
#include <libpq-fe.h>
#include <stddef.h>

#define credkit_pq_connection pg_conn
#define credkit_pq_result pg_result
#define credkit_pq_cancel pg_cancel
#include "CCredKitPQ.h"

_Static_assert(sizeof(credkit_pq_option) == sizeof(PQconninfoOption), "PQconninfoOption");
_Static_assert(offsetof(credkit_pq_option, val) == offsetof(PQconninfoOption, val), "PQconninfoOption.val");
_Static_assert(CREDKIT_PQ_OK == (int)CONNECTION_OK && CREDKIT_PQ_MADE == (int)CONNECTION_MADE, "ConnStatusType");
_Static_assert(
    CREDKIT_PQ_POLL_FAILED == (int)PGRES_POLLING_FAILED && CREDKIT_PQ_POLL_READING == (int)PGRES_POLLING_READING &&
        CREDKIT_PQ_POLL_WRITING == (int)PGRES_POLLING_WRITING && CREDKIT_PQ_POLL_OK == (int)PGRES_POLLING_OK,
    "PostgresPollingStatusType");
_Static_assert(CREDKIT_PQ_COMMAND_OK == (int)PGRES_COMMAND_OK && CREDKIT_PQ_TUPLES_OK == (int)PGRES_TUPLES_OK, "ExecStatusType");
_Static_assert(CREDKIT_PQ_VERBOSE == (int)PQERRORS_VERBOSE, "PGVerbosity");
_Static_assert(CREDKIT_PQ_SQLSTATE == PG_DIAG_SQLSTATE && CREDKIT_PQ_MESSAGE == PG_DIAG_MESSAGE_PRIMARY, "fields");

// The same functions, with libpq's names for options and enumerations.
#define COMPARE(result, name, parameters) result(*const compare_##name) parameters = (result(*) parameters)name;
#define credkit_pq_option PQconninfoOption
#define COMPARE_EXACTLY(result, name, parameters) result(*const exact_##name) parameters = name;
COMPARE_EXACTLY(PQconninfoOption *, PQconninfoParse, (const char *, char **))
COMPARE_EXACTLY(PQconninfoOption *, PQconndefaults, (void))
COMPARE_EXACTLY(void, PQconninfoFree, (PQconninfoOption *))
COMPARE_EXACTLY(PostgresPollingStatusType, PQconnectPoll, (PGconn *))
COMPARE_EXACTLY(ConnStatusType, PQstatus, (const PGconn *))
COMPARE_EXACTLY(ExecStatusType, PQresultStatus, (const PGresult *))
