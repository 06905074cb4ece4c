// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "generator.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

bool connection_open(struct connection *connection, int epoll, int port) {
    if (connection->descriptor >= 0) close(connection->descriptor);
    connection->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    return connect(connection->descriptor, (struct sockaddr *)&address, sizeof address) == 0 &&
        setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0 &&
        epoll_ctl(epoll, EPOLL_CTL_ADD, connection->descriptor, &event) == 0;
}

bool connection_send(struct connection *connection) {
    connection->received = 0;
    // A request is smaller than any buffer of a socket, so it never waits for room.
    ssize_t count = send(connection->descriptor, connection->login.request, connection->login.size, MSG_NOSIGNAL);
    return count == (ssize_t)connection->login.size;
}

/// Returns the text after the name of a header; NULL if there is none.
static const char *header_value(const char *head, const char *name) {
    const char *line = strcasestr(head, name);
    return line == NULL ? NULL : line + strlen(name);
}

int connection_receive(struct connection *connection, struct response *response) {
    size_t room = RESPONSE_SIZE - connection->received;
    ssize_t count = recv(connection->descriptor, connection->buffer + connection->received, room, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (count <= 0) return -1;
    connection->received += (size_t)count;
    connection->buffer[connection->received] = 0;
    char *end = strstr(connection->buffer, "\r\n\r\n");
    if (end == NULL) return connection->received < RESPONSE_SIZE ? 0 : -1;
    *end = 0;
    const char *length = header_value(connection->buffer, "\r\ncontent-length:");
    const char *mode = header_value(connection->buffer, "\r\nconnection: ");
    size_t size = length == NULL ? 0 : (size_t)strtoul(length, NULL, 10);
    char *body = end + 4;
    if ((size_t)(connection->buffer + connection->received - body) < size) {
        *end = '\r';
        return connection->received < RESPONSE_SIZE ? 0 : -1;
    }
    *response = (struct response){
        .status = (int)strtol(connection->buffer + strlen("HTTP/1.1 "), NULL, 10),
        .head = connection->buffer,
        .body = body,
        .closes = mode != NULL && strncasecmp(mode, "close", 5) == 0};
    return 1;
}
