// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Counts the calls into the libraries that compute password hashes, in debug builds and those of the checks. With it a
/// test shows that a hostile text never reaches these libraries.
package enum BackendCalls {
    #if DEBUG
    private static let calls = Lock(0)

    /// The number of calls so far, of all threads.
    package static var count: Int { calls.withLock { $0 } }

    static func note() { calls.withLock { $0 += 1 } }
    #else
    @inline(__always)
    static func note() {}
    #endif
}
