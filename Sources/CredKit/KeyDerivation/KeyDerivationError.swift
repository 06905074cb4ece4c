// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why a key could not be derived.
package enum KeyDerivationError: Error, Sendable, Equatable {
    /// There is not enough memory.
    case outOfMemory
    /// The parameters ask for more than is allowed, or than the library takes. The text says what.
    case overLimit(String)
    /// The library takes no input of this length.
    case inputTooLong(String)
    /// The library failed.
    case failed(String)
}
