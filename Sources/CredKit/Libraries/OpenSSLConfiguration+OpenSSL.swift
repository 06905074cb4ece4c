// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// The configuration file of libcrypto.
package enum OpenSSLConfiguration {
    /// Leaves it unread by this process. It can name engines and providers to load, by a path in the environment
    /// (`OPENSSL_CONF`), which is no way into a program that handles passwords; and reading it takes a millisecond.
    ///
    /// It must be called before anything else is asked of libcrypto.
    package static func ignore() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
    }
}
