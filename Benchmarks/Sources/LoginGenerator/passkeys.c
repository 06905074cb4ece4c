// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <stdio.h>
#include <string.h>

static EVP_PKEY *key;
/// The SHA-256 of the RP ID, the flags for a user who is present and verified, and a counter that stays 0.
static unsigned char authenticator_data[32 + 1 + 4];

#define SITE "localhost"
/// What binds the requests of a browser together: any 32 bytes.
#define TOKEN "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

bool passkeys_prepare(const struct user *user) {
    EVP_Digest(SITE, strlen(SITE), authenticator_data, NULL, EVP_sha256(), NULL);
    authenticator_data[32] = 0x05;
    BIGNUM *number = BN_bin2bn(user->client_key, KEY_SIZE, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM *parameters = NULL;
    if (OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number) == 1)
        parameters = OSSL_PARAM_BLD_to_param(builder);
    bool is_prepared = parameters != NULL && EVP_PKEY_fromdata_init(context) == 1 &&
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) == 1;
    OSSL_PARAM_free(parameters);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_BLD_free(builder);
    BN_free(number);
    return is_prepared;
}

/// Writes base64url, and a NUL.
static void write_base64(const void *bytes, size_t count, char *into) {
    int size = EVP_EncodeBlock((unsigned char *)into, bytes, (int)count);
    while (size > 0 && into[size - 1] == '=') into[--size] = 0;
    for (; *into; into++) {
        if (*into == '+') *into = '-';
        if (*into == '/') *into = '_';
    }
}

static size_t sign(const char *client_data, unsigned char signature[128]) {
    unsigned char message[sizeof authenticator_data + 32];
    size_t size = 128;
    memcpy(message, authenticator_data, sizeof authenticator_data);
    EVP_Digest(client_data, strlen(client_data), message + sizeof authenticator_data, NULL, EVP_sha256(), NULL);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_signed = context != NULL && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
        EVP_DigestSign(context, signature, &size, message, sizeof message) == 1;
    EVP_MD_CTX_free(context);
    return is_signed ? size : 0;
}

static bool answer(struct login *login, const struct response *response) {
    char ceremony[1024], challenge[64], client_data[256], body[REQUEST_SIZE];
    unsigned char id[32], signature[128];
    char shown_id[48], shown_client_data[360], shown_data[64], shown_signature[180], shown_handle[48];
    if (!copy_between(response->body, "\"ceremony\":\"", "\"", ceremony, sizeof ceremony) ||
        !copy_between(response->body, "\"challenge\":\"", "\"", challenge, sizeof challenge))
        return false;
    snprintf(client_data, sizeof client_data,
        "{\"type\":\"webauthn.get\",\"challenge\":\"%s\",\"origin\":\"http://" SITE "\",\"crossOrigin\":false}", challenge);
    size_t size = sign(client_data, signature);
    if (size == 0) return false;
    const char *name = login->user->name;
    EVP_Digest(name, strlen(name), id, NULL, EVP_sha256(), NULL);
    write_base64(id, sizeof id, shown_id);
    write_base64(client_data, strlen(client_data), shown_client_data);
    write_base64(authenticator_data, sizeof authenticator_data, shown_data);
    write_base64(signature, size, shown_signature);
    write_base64(name, strlen(name), shown_handle);
    // Quotes, colons, commas and braces, as a form encodes them.
    int count = snprintf(body, sizeof body,
        "token=" TOKEN "&ceremony=%s&response="
        "%%7B%%22id%%22%%3A%%22%s%%22%%2C%%22rawId%%22%%3A%%22%s%%22%%2C%%22type%%22%%3A%%22public-key%%22%%2C"
        "%%22clientExtensionResults%%22%%3A%%7B%%7D%%2C%%22response%%22%%3A%%7B%%22clientDataJSON%%22%%3A%%22%s%%22%%2C"
        "%%22authenticatorData%%22%%3A%%22%s%%22%%2C%%22signature%%22%%3A%%22%s%%22%%2C%%22userHandle%%22%%3A%%22%s%%22%%7D%%7D",
        ceremony, shown_id, shown_id, shown_client_data, shown_data, shown_signature, shown_handle);
    return count > 0 && (size_t)count < sizeof body &&
        write_request(login, "POST", "/auth/passkey", "Cookie: __Host-credkit-form=" TOKEN, body);
}

enum outcome passkeys_step(struct login *login, const struct response *response) {
    switch (login->step) {
    case 0:
        return write_request(login, "POST", "/auth/passkey/options", "Cookie: __Host-credkit-form=" TOKEN, "token=" TOKEN)
            ? SEND
            : FAILED;
    case 1: return response->status == 200 && answer(login, response) ? SEND : FAILED;
    default: return response->status == 200 && strstr(response->body, "logged in") != NULL ? DONE : FAILED;
    }
}
