// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

static char key[2 * 16 + 1];

void timestamped_prepare(const char *key_phrase) {
    unsigned char digest[16];
    EVP_Digest(key_phrase, strlen(key_phrase), digest, NULL, EVP_md5(), NULL);
    write_hex(digest, sizeof digest, key);
}

/// Writes the answer to a challenge: the challenge itself goes back with it.
static bool answer(struct login *login, const char *challenge) {
    char message[256], proof[2 * 16 + 1], body[512], encoded[256];
    int size = snprintf(message, sizeof message, "%s%s", login->user->equivalent, challenge);
    if (size < 0 || (size_t)size >= sizeof message) return false;
    unsigned char code[16];
    HMAC(EVP_md5(), key, 2 * 16, (unsigned char *)message, (size_t)size, code, NULL);
    write_hex(code, sizeof code, proof);
    // A challenge has a space and a colon besides letters, digits, '-' and '_'.
    size_t count = 0;
    for (; *challenge && count + 4 < sizeof encoded; challenge++) {
        if (*challenge == ' ') {
            encoded[count++] = '+';
        } else if (*challenge == ':') {
            memcpy(encoded + count, "%3A", 3);
            count += 3;
        } else {
            encoded[count++] = *challenge;
        }
    }
    encoded[count] = 0;
    snprintf(body, sizeof body, "username=%s&password=%s&key=%s", login->user->name, proof, encoded);
    return write_request(login, "POST", "/loginhmac.php", "", body);
}

enum outcome timestamped_step(struct login *login, const struct response *response) {
    char challenge[128];
    switch (login->step) {
    case 0: return write_request(login, "GET", "/hmackey.php", "", "") ? SEND : FAILED;
    case 1:
        if (response->status != 200 || !copy_between(response->body, "\"key\":\"", "\"", challenge, sizeof challenge))
            return FAILED;
        return answer(login, challenge) ? SEND : FAILED;
    default:
        // A rejected login has the identifier -1.
        return response->status == 200 && strstr(response->body, "\"userId\":") != NULL &&
                strstr(response->body, "\"userId\":-") == NULL
            ? DONE
            : FAILED;
    }
}
