// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// How libcrypto is loaded in this process.
package enum OpenSSLSetup {
    /// Loads libcrypto unless it is loaded. Must be called before another library that uses it is loaded, which would
    /// otherwise free its memory when the process exits and read its configuration.
    package static func load() { credkit_openssl_load() }

    /// Prevents this process from reading libcrypto's configuration file, which can name code to load. Must be called
    /// before libcrypto is loaded.
    package static func ignoreConfiguration() { credkit_openssl_ignore_configuration() }
}

/// OpenSSL's error queue, of which there is one per thread.
enum OpenSSLErrors {
    /// Returns the reason of the last error, or 0 if there is none, and empties the queue. Errors left in it would be
    /// attributed to a later call, even of another library.
    static func takeReason() -> Int32 {
        defer { ERR_clear_error() }
        return ERR_GET_REASON(ERR_peek_last_error())
    }
}
