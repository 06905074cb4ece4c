// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "passkeys.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <stdbool.h>
#include <stdlib.h>

enum { ES256 = -7, ED25519 = -8, RS256 = -257, COORDINATE_SIZE = 32 };

struct baseline_authenticator {
    int algorithm;
    EVP_PKEY *key;
    /// The parts of the public key, as a record of a passkey has them.
    uint8_t parts[2][BASELINE_PART_SIZE];
    size_t lengths[2];
};

static bool copy_number(baseline_authenticator *authenticator, int part, const char *name, size_t length) {
    BIGNUM *number = NULL;
    bool is_copied = EVP_PKEY_get_bn_param(authenticator->key, name, &number) == 1;
    if (is_copied) {
        if (length == 0) length = (size_t)BN_num_bytes(number);
        is_copied = BN_bn2binpad(number, authenticator->parts[part], (int)length) == (int)length;
        authenticator->lengths[part] = length;
    }
    BN_free(number);
    return is_copied;
}

baseline_authenticator *baseline_authenticator_open(int algorithm) {
    baseline_authenticator *authenticator = calloc(1, sizeof *authenticator);
    if (authenticator == NULL) return NULL;
    authenticator->algorithm = algorithm;
    bool is_complete = false;
    switch (algorithm) {
    case ES256:
        authenticator->key = EVP_EC_gen("prime256v1");
        is_complete = copy_number(authenticator, 0, OSSL_PKEY_PARAM_EC_PUB_X, COORDINATE_SIZE) &&
            copy_number(authenticator, 1, OSSL_PKEY_PARAM_EC_PUB_Y, COORDINATE_SIZE);
        break;
    case ED25519:
        authenticator->key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
        authenticator->lengths[0] = BASELINE_PART_SIZE;
        is_complete =
            EVP_PKEY_get_raw_public_key(authenticator->key, authenticator->parts[0], &authenticator->lengths[0]) == 1;
        break;
    case RS256:
        authenticator->key = EVP_RSA_gen(2048);
        is_complete = copy_number(authenticator, 0, OSSL_PKEY_PARAM_RSA_N, 0) &&
            copy_number(authenticator, 1, OSSL_PKEY_PARAM_RSA_E, 0);
        break;
    }
    if (is_complete) return authenticator;
    baseline_authenticator_close(authenticator);
    return NULL;
}

void baseline_authenticator_close(baseline_authenticator *authenticator) {
    if (authenticator == NULL) return;
    EVP_PKEY_free(authenticator->key);
    free(authenticator);
}

size_t baseline_authenticator_part(const baseline_authenticator *authenticator, int number, uint8_t part[BASELINE_PART_SIZE]) {
    for (size_t i = 0; i < authenticator->lengths[number]; i++) part[i] = authenticator->parts[number][i];
    return authenticator->lengths[number];
}

static const EVP_MD *function(int algorithm) { return algorithm == ED25519 ? NULL : EVP_sha256(); }

size_t baseline_authenticator_sign(const baseline_authenticator *authenticator, const uint8_t *message, size_t length,
                                   uint8_t signature[BASELINE_PART_SIZE]) {
    size_t count = BASELINE_PART_SIZE;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_signed = context != NULL &&
        EVP_DigestSignInit(context, NULL, function(authenticator->algorithm), NULL, authenticator->key) == 1 &&
        EVP_DigestSign(context, signature, &count, message, length) == 1;
    EVP_MD_CTX_free(context);
    return is_signed ? count : 0;
}

static EVP_PKEY *from_data(const char *kind, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    if (context != NULL && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    EVP_PKEY_CTX_free(context);
    return key;
}

static EVP_PKEY *import_point(const baseline_authenticator *authenticator) {
    uint8_t point[1 + 2 * COORDINATE_SIZE] = {POINT_CONVERSION_UNCOMPRESSED};
    for (int i = 0; i < COORDINATE_SIZE; i++) {
        point[1 + i] = authenticator->parts[0][i];
        point[1 + COORDINATE_SIZE + i] = authenticator->parts[1][i];
    }
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point),
        OSSL_PARAM_construct_end(),
    };
    return from_data("EC", parameters);
}

static EVP_PKEY *import_modulus(const baseline_authenticator *authenticator) {
    EVP_PKEY *key = NULL;
    BIGNUM *modulus = BN_bin2bn(authenticator->parts[0], (int)authenticator->lengths[0], NULL);
    BIGNUM *exponent = BN_bin2bn(authenticator->parts[1], (int)authenticator->lengths[1], NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (modulus != NULL && exponent != NULL && builder != NULL &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1) {
        OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
        if (parameters != NULL) key = from_data("RSA", parameters);
        OSSL_PARAM_free(parameters);
    }
    OSSL_PARAM_BLD_free(builder);
    BN_free(exponent);
    BN_free(modulus);
    return key;
}

static EVP_PKEY *import_key(const baseline_authenticator *authenticator) {
    switch (authenticator->algorithm) {
    case ES256: return import_point(authenticator);
    case ED25519:
        return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, authenticator->parts[0], authenticator->lengths[0]);
    default: return import_modulus(authenticator);
    }
}

int baseline_passkey_verify(const baseline_authenticator *authenticator, const uint8_t *message, size_t length,
                            const uint8_t *signature, size_t signature_length, long iterations) {
    const EVP_MD *digest = function(authenticator->algorithm);
    bool is_valid = true;
    for (long i = 0; i < iterations && is_valid; i++) {
        EVP_PKEY *key = import_key(authenticator);
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        is_valid = key != NULL && context != NULL && EVP_DigestVerifyInit(context, NULL, digest, NULL, key) == 1 &&
            EVP_DigestVerify(context, signature, signature_length, message, length) == 1;
        EVP_MD_CTX_free(context);
        EVP_PKEY_free(key);
    }
    return is_valid ? 0 : -1;
}

void baseline_sha256(const uint8_t *data, size_t length, uint8_t digest[32]) {
    EVP_Digest(data, length, digest, NULL, EVP_sha256(), NULL);
}
