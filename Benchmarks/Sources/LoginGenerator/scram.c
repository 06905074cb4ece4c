// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>

static bool begin(struct login *login) {
    unsigned char bytes[NONCE_SIZE / 2 - 1];
    char message[128], encoded[256], header[512];
    if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
    write_hex(bytes, sizeof bytes, login->nonce);
    int size = snprintf(message, sizeof message, "n,,n=%s,r=%s", login->user->name, login->nonce);
    EVP_EncodeBlock((unsigned char *)encoded, (unsigned char *)message, size);
    snprintf(header, sizeof header, "Authorization: SCRAM-SHA-256 data=\"%s\"", encoded);
    return write_request(login, "POST", "/scram", header, "");
}

static bool finish(struct login *login, const struct response *response) {
    char sid[1024], data[512], server[512], nonce[256], bare[512], message[1280], final[768], encoded[1024], header[2048];
    if (response->status != 401 || !copy_between(response->head, "sid=\"", "\"", sid, sizeof sid) ||
        !copy_between(response->head, "data=\"", "\"", data, sizeof data))
        return false;
    int size = EVP_DecodeBlock((unsigned char *)server, (unsigned char *)data, (int)strlen(data));
    if (size <= 0) return false;
    for (size_t last = strlen(data); last > 0 && data[last - 1] == '='; last--) size--;
    server[size] = 0;
    if (!copy_between(server, "r=", ",", nonce, sizeof nonce)) return false;
    snprintf(bare, sizeof bare, "c=biws,r=%s", nonce);
    size = snprintf(message, sizeof message, "n=%s,r=%s,%s,%s", login->user->name, login->nonce, server, bare);
    if (size < 0 || (size_t)size >= sizeof message) return false;
    unsigned char proof[KEY_SIZE];
    char shown[64];
    HMAC(EVP_sha256(), login->user->stored_key, KEY_SIZE, (unsigned char *)message, (size_t)size, proof, NULL);
    for (int i = 0; i < KEY_SIZE; i++) proof[i] ^= login->user->client_key[i];
    EVP_EncodeBlock((unsigned char *)shown, proof, KEY_SIZE);
    size = snprintf(final, sizeof final, "%s,p=%s", bare, shown);
    EVP_EncodeBlock((unsigned char *)encoded, (unsigned char *)final, size);
    size = snprintf(header, sizeof header, "Authorization: SCRAM-SHA-256 sid=\"%s\", data=\"%s\"", sid, encoded);
    return size > 0 && (size_t)size < sizeof header && write_request(login, "POST", "/scram", header, "");
}

enum outcome scram_step(struct login *login, const struct response *response) {
    switch (login->step) {
    case 0: return begin(login) ? SEND : FAILED;
    case 1: return finish(login, response) ? SEND : FAILED;
    default: return response->status == 200 && strstr(response->head, "data=\"") != NULL ? DONE : FAILED;
    }
}
