// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// How libcrypto starts in this process, and how it ends.
package enum OpenSSLSetup {
    /// Keeps libcrypto from freeing its memory when the process exits. It must be called before every other function that
    /// makes libcrypto allocate something of its own: a fetched algorithm, a key, a reader.
    ///
    /// Its handler for exits frees what it keeps for each thread, and so does each thread that ends, without a lock between
    /// them. A thread that ends at that moment, as that of a vault which is no longer used, would free the same memory
    /// again. The system takes all memory back anyway, and keys have been wiped by those who held them.
    package static func prepare() { _ = isPrepared }

    private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// Does the same, and prevents this process from reading libcrypto's configuration file, which takes a millisecond.
    /// The file can name engines and providers to load, and its path comes from the environment (`OPENSSL_CONF`): that
    /// would allow code injection into a program that handles passwords.
    package static func ignoreConfiguration() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_LOAD_CONFIG), nil)
    }
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
