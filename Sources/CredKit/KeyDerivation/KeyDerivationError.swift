// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why a key could not be derived.
package enum KeyDerivationError: Error, Sendable, Equatable {
    /// There is not enough memory.
    case outOfMemory
    /// The parameters exceed a limit, or the maximum of the library. The text says which.
    case overLimit(String)
    /// The library does not accept an input of this length.
    case inputTooLong(String)
    /// The library does not have the parameters.
    case unsupported(String)
    /// The caller no longer needs the key.
    case cancelled
    /// The library failed.
    case failed(String)
}
