// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "CCredKitOpenSSL.h"

// Public keys from their numbers. Decoding a SubjectPublicKeyInfo takes longer than verifying a signature of ECDSA.

static EVP_PKEY *public_key(const char *kind, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    if (context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

EVP_PKEY *credkit_ec_public_key(const char *curve, const unsigned char *point, size_t count) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count),
        OSSL_PARAM_construct_end(),
    };
    return public_key("EC", parameters);
}

EVP_PKEY *credkit_rsa_public_key(const unsigned char *n, int n_count, const unsigned char *e, int e_count) {
    EVP_PKEY *key = NULL;
    BIGNUM *modulus = BN_bin2bn(n, n_count, NULL);
    BIGNUM *exponent = BN_bin2bn(e, e_count, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (modulus != NULL && exponent != NULL && builder != NULL &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1) {
        OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
        if (parameters != NULL) key = public_key("RSA", parameters);
        OSSL_PARAM_free(parameters);
    }
    OSSL_PARAM_BLD_free(builder);
    BN_free(exponent);
    BN_free(modulus);
    return key;
}

// P-256 with private keys that stay with the caller. A copy is in OpenSSL's memory while a function runs, and is wiped.

int credkit_p256_public_key(const unsigned char *key, unsigned char *point) {
    int result = 0;
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    EC_POINT *product = group == NULL ? NULL : EC_POINT_new(group);
    BIGNUM *scalar = BN_bin2bn(key, 32, NULL);
    if (product != NULL && scalar != NULL) {
        BN_set_flags(scalar, BN_FLG_CONSTTIME);
        result = !BN_is_zero(scalar) && BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0 &&
                 EC_POINT_mul(group, product, scalar, NULL, NULL, NULL) == 1 &&
                 EC_POINT_point2oct(group, product, POINT_CONVERSION_UNCOMPRESSED, point, 65, NULL) == 65;
    }
    BN_clear_free(scalar);
    EC_POINT_clear_free(product);
    EC_GROUP_free(group);
    return result;
}

int credkit_p256_sign(
    const unsigned char *key, const unsigned char *point, const unsigned char *message, size_t count, unsigned char *signature) {
    int result = 0;
    unsigned char native[32], der[80];
    size_t der_count = sizeof(der);
    BIGNUM *scalar = BN_bin2bn(key, 32, NULL);
    EVP_PKEY *pair = NULL;
    EVP_PKEY_CTX *import = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    ECDSA_SIG *numbers = NULL;
    if (scalar != NULL && import != NULL && context != NULL && BN_bn2nativepad(scalar, native, sizeof(native)) == 32) {
        OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0),
            OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65),
            OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, sizeof(native)),
            OSSL_PARAM_construct_end(),
        };
        const unsigned char *rest = der;
        if (EVP_PKEY_fromdata_init(import) == 1 &&
            EVP_PKEY_fromdata(import, &pair, EVP_PKEY_KEYPAIR, parameters) == 1 &&
            EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, pair) == 1 &&
            EVP_DigestSign(context, der, &der_count, message, count) == 1 &&
            (numbers = d2i_ECDSA_SIG(NULL, &rest, (long)der_count)) != NULL) {
            result = BN_bn2binpad(ECDSA_SIG_get0_r(numbers), signature, 32) == 32 &&
                     BN_bn2binpad(ECDSA_SIG_get0_s(numbers), signature + 32, 32) == 32;
        }
    }
    OPENSSL_cleanse(native, sizeof(native));
    ECDSA_SIG_free(numbers);
    EVP_MD_CTX_free(context);
    EVP_PKEY_CTX_free(import);
    EVP_PKEY_free(pair);
    BN_clear_free(scalar);
    return result;
}
