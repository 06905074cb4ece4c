// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <stdio.h>

static const char *path, *header;
static int status;

void check_prepare(const char *checked_path, const char *checked_header, int expected) {
    path = checked_path;
    header = checked_header;
    status = expected;
}

enum outcome check_step(struct login *login, const struct response *response) {
    char line[256];
    if (response != NULL) return response->status == status ? DONE : FAILED;
    int size = snprintf(line, sizeof line, "%s%s", header, login->user->secret);
    if (size < 0 || (size_t)size >= sizeof line) return FAILED;
    return write_request(login, "GET", path, line, "") ? SEND : FAILED;
}
