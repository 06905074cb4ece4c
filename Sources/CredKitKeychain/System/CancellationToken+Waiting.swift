// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

extension CancellationToken {
    /// Checks that the caller still waits.
    ///
    /// - Throws: ``KeychainError/timedOut``, ``KeychainError/cancelled``.
    func check() throws(KeychainError) {
        if let failure { throw KeychainError(failure) }
    }

    /// Waits before a call goes on, without shortening the time that the call has for its answers.
    ///
    /// - Parameter time: How long to wait.
    /// - Throws: ``KeychainError`` if the caller stops waiting meanwhile.
    func wait(for time: Duration) throws(KeychainError) {
        guard time > .zero else { return }
        try extended(by: time) { () throws(KeychainError) in
            let end = ContinuousClock.now + time
            while true {
                try check()
                let left = end - .now
                guard left > .zero else { return }
                usleep(UInt32(min(left, .milliseconds(20)) / .microseconds(1)))
            }
        }
    }
}
