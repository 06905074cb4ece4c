// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why sealing or opening failed.
package enum CipherError: Error, Sendable, Equatable {
    /// The key is wrong, or the sealed bytes or their context were changed.
    case notAuthentic
    /// There is not enough memory.
    case outOfMemory
}
