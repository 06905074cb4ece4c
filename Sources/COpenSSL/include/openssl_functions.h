// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The functions of libcrypto that CredKit and its fuzzer call. Also read by the assembler.
#ifndef CREDKIT_OPENSSL_FUNCTIONS_H
#define CREDKIT_OPENSSL_FUNCTIONS_H

#define CREDKIT_OPENSSL_FUNCTIONS(F) \
    F(ASN1_STRING_get0_data) F(ASN1_STRING_length) F(BIO_clear_flags) F(BIO_copy_next_retry) F(BIO_ctrl) F(BIO_free) \
    F(BIO_free_all) F(BIO_get_data) F(BIO_get_new_index) F(BIO_meth_new) F(BIO_meth_set_create) F(BIO_meth_set_ctrl) \
    F(BIO_meth_set_read) F(BIO_method_type) F(BIO_new) F(BIO_new_mem_buf) F(BIO_next) F(BIO_push) F(BIO_read) \
    F(BIO_set_data) F(BIO_set_flags) F(BIO_set_init) F(BIO_up_ref) F(BN_bin2bn) F(BN_bn2binpad) F(BN_bn2nativepad) \
    F(BN_clear_free) F(BN_cmp) F(BN_free) F(BN_is_odd) F(BN_is_zero) F(BN_num_bits) F(BN_set_flags) \
    F(CRYPTO_clear_free) F(CRYPTO_free) F(CRYPTO_get_ex_new_index) F(CRYPTO_memcmp) F(ECDSA_SIG_free) \
    F(ECDSA_SIG_get0_r) F(ECDSA_SIG_get0_s) F(EC_GROUP_free) F(EC_GROUP_get0_order) F(EC_GROUP_new_by_curve_name) \
    F(EC_POINT_clear_free) F(EC_POINT_mul) F(EC_POINT_new) F(EC_POINT_point2oct) F(ERR_clear_error) \
    F(ERR_peek_last_error) F(EVP_CIPHER_CTX_ctrl) F(EVP_CIPHER_CTX_free) F(EVP_CIPHER_CTX_new) \
    F(EVP_CIPHER_CTX_set_padding) F(EVP_CIPHER_fetch) F(EVP_DecodeBlock) F(EVP_DecryptFinal_ex) F(EVP_DecryptInit_ex) \
    F(EVP_DecryptUpdate) F(EVP_DigestSign) F(EVP_DigestSignInit) F(EVP_DigestVerify) F(EVP_DigestVerifyInit) \
    F(EVP_EncodeBlock) F(EVP_EncryptFinal_ex) F(EVP_EncryptInit_ex) F(EVP_EncryptUpdate) F(EVP_MD_CTX_free) \
    F(EVP_MD_CTX_new) F(EVP_PBE_scrypt) F(EVP_PKEY_CTX_free) F(EVP_PKEY_CTX_new_from_name) \
    F(EVP_PKEY_CTX_set_rsa_mgf1_md) F(EVP_PKEY_CTX_set_rsa_padding) F(EVP_PKEY_CTX_set_rsa_pss_saltlen) \
    F(EVP_PKEY_free) F(EVP_PKEY_fromdata) F(EVP_PKEY_fromdata_init) F(EVP_PKEY_get_bits) F(EVP_PKEY_get_bn_param) \
    F(EVP_PKEY_get_group_name) F(EVP_PKEY_get_id) F(EVP_PKEY_get_raw_private_key) F(EVP_PKEY_get_raw_public_key) \
    F(EVP_PKEY_new_raw_public_key) F(EVP_aes_128_cbc) F(EVP_aes_256_cbc) F(EVP_aes_256_ctr) F(EVP_aes_256_gcm) \
    F(EVP_sha1) F(EVP_sha256) F(EVP_sha384) F(EVP_sha512) F(GENERAL_NAMES_free) F(GENERAL_NAME_get0_value) \
    F(MD4_Final) F(MD4_Init) F(MD4_Update) F(OBJ_find_sigid_algs) F(OBJ_nid2sn) F(OPENSSL_cleanse) F(OPENSSL_sk_free) \
    F(OPENSSL_sk_new_null) F(OPENSSL_sk_num) F(OPENSSL_sk_push) F(OPENSSL_sk_value) F(OSSL_PARAM_BLD_free) \
    F(OSSL_PARAM_BLD_new) F(OSSL_PARAM_BLD_push_BN) F(OSSL_PARAM_BLD_to_param) F(OSSL_PARAM_construct_BN) \
    F(OSSL_PARAM_construct_end) F(OSSL_PARAM_construct_octet_string) F(OSSL_PARAM_construct_utf8_string) \
    F(OSSL_PARAM_free) F(PEM_read_bio) F(PEM_read_bio_PUBKEY) F(PEM_read_bio_PrivateKey) F(PEM_read_bio_X509) \
    F(PEM_read_bio_X509_AUX) F(PKCS5_PBKDF2_HMAC) F(SHA1_Final) F(SHA1_Init) F(SHA1_Transform) F(SHA1_Update) \
    F(SHA256) F(SHA256_Final) F(SHA256_Init) F(SHA256_Transform) F(SHA256_Update) F(SHA384_Final) F(SHA384_Init) \
    F(SHA384_Update) F(SHA512_Final) F(SHA512_Init) F(SHA512_Transform) F(SHA512_Update) F(X509_STORE_CTX_free) \
    F(X509_STORE_CTX_get0_cert) F(X509_STORE_CTX_get0_param) F(X509_STORE_CTX_get_error) \
    F(X509_STORE_CTX_get_error_depth) F(X509_STORE_CTX_get_ex_data) F(X509_STORE_CTX_init) F(X509_STORE_CTX_new) \
    F(X509_STORE_CTX_set_default) F(X509_STORE_CTX_set_error) F(X509_STORE_add_cert) F(X509_STORE_free) \
    F(X509_STORE_new) F(X509_STORE_set_default_paths) F(X509_VERIFY_PARAM_set1_host) F(X509_VERIFY_PARAM_set1_ip_asc) \
    F(X509_VERIFY_PARAM_set_auth_level) F(X509_VERIFY_PARAM_set_hostflags) F(X509_check_host) F(X509_check_ip_asc) \
    F(X509_check_private_key) F(X509_free) F(X509_get_default_cert_dir) F(X509_get_ext_d2i) F(X509_get_signature_info) \
    F(X509_get_signature_nid) F(X509_verify_cert) F(X509_verify_cert_error_string) F(d2i_ECDSA_SIG) F(d2i_X509) \
    F(d2i_X509_AUX) F(i2d_X509)

#endif
