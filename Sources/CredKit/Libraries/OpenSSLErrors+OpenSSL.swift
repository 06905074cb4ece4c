// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// OpenSSL's error queue, of which there is one per thread.
enum OpenSSLErrors {
    /// Returns the reason of the last error, or 0 if there is none, and empties the queue. Errors left in it would be
    /// attributed to a later call, even of another library.
    static func takeReason() -> Int32 {
        defer { ERR_clear_error() }
        return ERR_GET_REASON(ERR_peek_last_error())
    }
}
