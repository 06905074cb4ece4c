// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <stdio.h>
#include <string.h>

bool write_request(struct login *login, const char *method, const char *path, const char *header, const char *body) {
    int size = snprintf(login->request, REQUEST_SIZE,
        "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: %s\r\n%s%s"
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %zu\r\n\r\n%s",
        method, path, login->user->address, header, *header ? "\r\n" : "", strlen(body), body);
    login->size = (size_t)size;
    return size > 0 && size < REQUEST_SIZE;
}

bool copy_between(const char *text, const char *before, const char *after, char *into, size_t size) {
    const char *start = strstr(text, before);
    if (start == NULL) return false;
    start += strlen(before);
    const char *end = strstr(start, after);
    if (end == NULL || (size_t)(end - start) >= size) return false;
    memcpy(into, start, (size_t)(end - start));
    into[end - start] = 0;
    return true;
}

void write_hex(const unsigned char *bytes, size_t count, char *into) {
    for (size_t i = 0; i < count; i++) {
        into[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        into[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    into[2 * count] = 0;
}
