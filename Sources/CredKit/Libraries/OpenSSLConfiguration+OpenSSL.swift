// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// The configuration file of libcrypto.
package enum OpenSSLConfiguration {
    /// Prevents this process from reading the file, which takes a millisecond. The file can name engines and
    /// providers to load, and its path comes from the environment (`OPENSSL_CONF`): that would allow code injection
    /// into a program that handles passwords.
    ///
    /// It must be called before any other function of libcrypto.
    package static func ignore() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
    }
}
