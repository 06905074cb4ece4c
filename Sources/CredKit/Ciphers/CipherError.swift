// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why something could not be sealed, or what is sealed could not be opened.
package enum CipherError: Error, Sendable, Equatable {
    /// The key is another one, or what was sealed or what stands beside it was changed.
    case notAuthentic
    /// There is not enough memory.
    case outOfMemory
}
