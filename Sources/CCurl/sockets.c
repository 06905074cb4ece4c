// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "CCredKitCurl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

static int port(const struct sockaddr_storage *address) {
    switch (address->ss_family) {
    case AF_INET: return ntohs(((const struct sockaddr_in *)address)->sin_port);
    case AF_INET6: return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
    default: return -1;
    }
}

int credkit_socket_ends(int descriptor, char peer[CREDKIT_ADDRESS_SIZE], int *peer_port, int *own_port) {
    struct sockaddr_storage there = {0}, here = {0};
    socklen_t count = sizeof there;
    if (getpeername(descriptor, (struct sockaddr *)&there, &count) != 0) return -1;
    count = sizeof here;
    if (getsockname(descriptor, (struct sockaddr *)&here, &count) != 0) return -1;
    *peer_port = port(&there);
    *own_port = port(&here);
    if (*peer_port < 0 || *own_port < 0) return -1;
    const void *address = there.ss_family == AF_INET ? (const void *)&((struct sockaddr_in *)&there)->sin_addr
                                                     : (const void *)&((struct sockaddr_in6 *)&there)->sin6_addr;
    return inet_ntop(there.ss_family, address, peer, CREDKIT_ADDRESS_SIZE) != NULL ? 0 : -1;
}

int credkit_socket_is_silent(int descriptor) {
    char byte;
    return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}
