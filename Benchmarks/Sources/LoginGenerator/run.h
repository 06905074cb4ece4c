// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_LOGIN_RUN_H
#define CREDKIT_LOGIN_RUN_H

#include "generator.h"

enum { MAXIMUM_SERVERS = 16 };

/// Logins to send, and what came of them.
struct run {
    step_function step;
    const struct user *users;
    size_t user_count, next_user;
    int ports[MAXIMUM_SERVERS], server_count;
    struct connection *connections;
    int connection_count, epoll;
    /// Logins whose first request was answered in advance, for each server; NULL to send all requests.
    struct login *prepared[MAXIMUM_SERVERS];
    size_t prepared_count[MAXIMUM_SERVERS];
    /// Logins to begin a second; 0 to begin one as soon as a connection is free.
    double rate;
    /// How many logins to begin, and when to begin no more.
    size_t limit;
    int64_t start, end;

    bool is_preparing;
    size_t begun, succeeded, failed, busy;
    /// Logins that failed before they were measured.
    size_t unprepared;
    /// The first failure, for the report.
    char failure[256];
    struct histogram latencies;
};

/// Opens the connections. Returns false if a server does not accept them.
bool run_connect(struct run *);

/// Sends the first request of a number of logins, and keeps what follows for later. Returns false if all fail.
bool run_prepare(struct run *, size_t count);

/// Sends all logins.
void run_measured(struct run *);

#endif
