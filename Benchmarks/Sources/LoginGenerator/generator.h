// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_LOGIN_GENERATOR_H
#define CREDKIT_LOGIN_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REQUEST_SIZE = 3072, RESPONSE_SIZE = 16384, NAME_SIZE = 32, NONCE_SIZE = 24, KEY_SIZE = 32 };

/// A user, and what the client has computed from the password in advance.
struct user {
    char name[NAME_SIZE];
    /// The address that the proxy states for this client.
    char address[16];
    /// The hexadecimal password-equivalent of a timestamped login.
    char equivalent[2 * 16 + 1];
    /// What follows the name of a header in a check.
    char secret[2 * KEY_SIZE + 1];
    /// SCRAM's ClientKey and StoredKey, or the private key of a passkey for ES256.
    unsigned char client_key[KEY_SIZE], stored_key[KEY_SIZE];
};

/// A response that is complete. The pointers are into the connection's buffer, which ends with NUL.
struct response {
    int status;
    char *head, *body;
    bool closes;
};

/// A login that is under way.
struct login {
    const struct user *user;
    /// When it began, or when it should have begun, in nanoseconds.
    int64_t start;
    int step;
    char nonce[NONCE_SIZE];
    /// The request to send.
    char request[REQUEST_SIZE];
    size_t size;
};

/// What a step of a login leads to.
enum outcome { SEND, DONE, FAILED };

/// Makes the next request of a login, from the response to the one before, which is NULL at first.
typedef enum outcome (*step_function)(struct login *, const struct response *);

enum outcome timestamped_step(struct login *, const struct response *);
enum outcome scram_step(struct login *, const struct response *);
/// Logs in with the passkey of a user, at a server for `http://localhost`: its identifier is the SHA-256 of the user's name, which
/// is the user handle.
enum outcome passkeys_step(struct login *, const struct response *);
/// A single request with a header of the user, whose answer has a given status.
enum outcome check_step(struct login *, const struct response *);

/// Derives the key of timestamped logins.
void timestamped_prepare(const char *key_phrase);

/// Reads the private key, which all passkeys have in common. Returns false if it is none.
bool passkeys_prepare(const struct user *);

/// Sets the path, the beginning of the header, and the status of checks.
void check_prepare(const char *path, const char *header, int status);

/// Writes a request. Returns false if it is too long.
bool write_request(struct login *, const char *method, const char *path, const char *header, const char *body);

/// Copies what is between two texts. Returns false if it is missing or too long.
bool copy_between(const char *text, const char *before, const char *after, char *into, size_t size);

/// Writes digits of lower case, and a NUL.
void write_hex(const unsigned char *bytes, size_t count, char *into);

/// Connections ------------------------------------------------------------------------------------------------------

struct connection {
    int descriptor;
    /// The place of its server in the list of servers.
    int server;
    bool is_busy;
    struct login login;
    size_t sent, received;
    char buffer[RESPONSE_SIZE + 1];
};

/// Connects to a port of this machine. Returns false if that fails.
bool connection_open(struct connection *, int epoll, int port);

/// Sends what is left of the request. Returns false if the connection is lost.
bool connection_send(struct connection *);

/// Reads. Returns 1 for a complete response, 0 if more must come, -1 if the connection is lost.
int connection_receive(struct connection *, struct response *);

/// Latencies --------------------------------------------------------------------------------------------------------

/// Counts durations with an error of at most 1 %, without memory for each of them.
struct histogram {
    uint64_t counts[64 * 64];
    uint64_t count;
};

void histogram_add(struct histogram *, int64_t nanoseconds);

/// Returns the least duration that a share of all durations does not exceed, in milliseconds.
double histogram_quantile(const struct histogram *, double share);

int64_t now_nanoseconds(void);

#endif
