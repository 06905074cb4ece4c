// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// Ends a computation that runs on another thread: kernels look at it at least every five milliseconds.
@safe
package final class Interruption: @unchecked Sendable {
    /// An interruption that never happens.
    package static let never = Interruption()

    /// Accessed with atomic operations only, except in deinit, when no other reference is left.
    let flag: UnsafeMutablePointer<Int32>

    /// Creates an interruption for one computation.
    package init() {
        unsafe flag = .allocate(capacity: 1)
        unsafe flag.initialize(to: 0)
    }

    deinit { unsafe flag.deallocate() }

    /// Ends the computation.
    package func raise() { unsafe credkit_argon2_cancel(flag) }

    /// Whether the computation must end.
    package var isRaised: Bool { unsafe credkit_argon2_is_cancelled(flag) != 0 }
}
