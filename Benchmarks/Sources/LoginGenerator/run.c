// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

bool run_connect(struct run *run) {
    run->epoll = epoll_create1(EPOLL_CLOEXEC);
    run->connections = calloc((size_t)run->connection_count, sizeof *run->connections);
    for (int i = 0; i < run->connection_count; i++) {
        struct connection *connection = &run->connections[i];
        connection->descriptor = -1;
        connection->server = i % run->server_count;
        if (!connection_open(connection, run->epoll, run->ports[connection->server])) return false;
    }
    return true;
}

static void fail(struct run *run, struct connection *connection, const struct response *response) {
    run->failed++;
    if (run->failure[0]) return;
    snprintf(run->failure, sizeof run->failure, "step %d of %s at server %d: %d %.150s", connection->login.step,
        connection->login.user->name, connection->server, response ? response->status : 0,
        response ? response->body : "the connection was closed");
    for (char *at = run->failure; *at; at++)
        if (*at == '"' || *at == '\\' || *at < ' ') *at = '\'';
}

/// Frees a connection for the next login, as a new one if the server closes it.
static void release(struct run *run, struct connection *connection, bool closes) {
    connection->is_busy = false;
    run->busy--;
    if (closes && !connection_open(connection, run->epoll, run->ports[connection->server])) {
        fprintf(stderr, "cannot connect to server %d any more\n", connection->server);
        exit(1);
    }
}

/// Makes the next request of a login and sends it, or ends the login.
static void advance(struct run *run, struct connection *connection, const struct response *response) {
    struct login *login = &connection->login;
    bool closes = response != NULL && response->closes;
    enum outcome outcome = run->step(login, response);
    if (outcome == SEND && run->is_preparing && response != NULL) {
        login->step++;
        run->prepared[connection->server][run->prepared_count[connection->server]++] = *login;
        run->succeeded++;
        return release(run, connection, closes);
    }
    if (outcome == SEND) {
        login->step++;
        if (closes && !connection_open(connection, run->epoll, run->ports[connection->server])) exit(1);
        if (connection_send(connection)) return;
        response = NULL;
        closes = true;
    }
    if (outcome == DONE) {
        run->succeeded++;
        histogram_add(&run->latencies, now_nanoseconds() - login->start);
    } else {
        fail(run, connection, response);
    }
    release(run, connection, closes);
}

/// Begins a login on a free connection. Returns false if there is none left to begin there.
static bool begin(struct run *run, struct connection *connection, int64_t start) {
    struct login *login = &connection->login;
    size_t *left = &run->prepared_count[connection->server];
    bool is_prepared = !run->is_preparing && run->prepared[connection->server] != NULL;
    if (is_prepared) {
        if (*left == 0) return false;
        *login = run->prepared[connection->server][--*left];
    } else {
        *login = (struct login){.user = &run->users[run->next_user++ % run->user_count]};
    }
    login->start = start;
    connection->is_busy = true;
    run->begun++;
    run->busy++;
    if (!is_prepared) {
        advance(run, connection, NULL);
    } else if (!connection_send(connection)) {
        fail(run, connection, NULL);
        release(run, connection, true);
    }
    return true;
}

/// Returns when the next login is due.
static int64_t due(const struct run *run) {
    return run->rate > 0 ? run->start + (int64_t)((double)run->begun * 1e9 / run->rate) : 0;
}

static bool may_begin(const struct run *run, int64_t now) {
    return run->begun < run->limit && now < run->end && due(run) <= now;
}

static void loop(struct run *run) {
    struct epoll_event events[256];
    int next = 0;
    run->begun = run->succeeded = run->failed = 0;
    run->start = now_nanoseconds();
    while (true) {
        int64_t now = now_nanoseconds();
        for (int tried = 0; tried < run->connection_count && may_begin(run, now); tried++) {
            struct connection *connection = &run->connections[next++ % run->connection_count];
            if (!connection->is_busy) begin(run, connection, run->rate > 0 ? due(run) : now);
        }
        if (run->busy == 0 && (run->begun >= run->limit || now >= run->end || run->rate == 0)) return;
        int64_t wait = run->rate > 0 && run->busy < (size_t)run->connection_count ? due(run) - now_nanoseconds() : 1000000000;
        int count = epoll_wait(run->epoll, events, 256, wait <= 0 ? 0 : (int)ceil((double)wait / 1e6));
        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;
            struct response response;
            int state = connection_receive(connection, &response);
            if (state == 0) continue;
            if (state > 0 && connection->is_busy) {
                advance(run, connection, &response);
            } else if (connection->is_busy) {
                fail(run, connection, NULL);
                release(run, connection, true);
            } else {
                run->busy++;
                release(run, connection, true);
            }
        }
    }
}

bool run_prepare(struct run *run, size_t count) {
    for (int i = 0; i < run->server_count; i++) run->prepared[i] = malloc(count * sizeof(struct login));
    double rate = run->rate;
    run->is_preparing = true;
    run->limit = count;
    run->end = INT64_MAX;
    run->rate = 0;
    loop(run);
    run->is_preparing = false;
    run->rate = rate;
    run->unprepared = run->failed;
    return run->succeeded > 0;
}

void run_measured(struct run *run) { loop(run); }
