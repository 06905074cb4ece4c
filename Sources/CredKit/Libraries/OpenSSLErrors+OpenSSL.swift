// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// OpenSSL's queue of errors, one a thread.
enum OpenSSLErrors {
    /// The reason of the last error, 0 if there is none. The queue is empty afterwards: what is left in it would
    /// be taken for the error of some later call of another library.
    static func takeReason() -> Int32 {
        defer { ERR_clear_error() }
        return ERR_GET_REASON(ERR_peek_last_error())
    }
}
