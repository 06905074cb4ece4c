// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Codes for a user who has lost the device: made when one-time codes are enrolled, printed or written down, and each valid
/// once in place of a one-time code.
///
/// ```swift
/// let codes = try RecoveryCodes.generate()                           // h3k9m-w7pqx-…: show them once
/// let keys = codes.compactMap { RecoveryCodes.key(of: $0, account: "alice") }      // store these
///
/// let result = try await RecoveryCodes.verify(posted, account: "alice") { key in
///     try await database.delete("… WHERE account = 'alice' AND recovery_key = $1", key.bytes) == 1
/// }
/// ```
///
/// A code has 20 characters of 31, which are 99 bits. Only a ``StoreKey`` of it is stored: SHA-256 of the code and the
/// account. A slow password hash with a random salt would gain nothing: at 10^15 guesses a second, a code would be found
/// after some 10^7 years, and the account keeps tables of one user from serving for another. The key of a posted code finds
/// its record directly, so that it can be deleted in one statement. For the same reason guesses need no limit.
public enum RecoveryCodes {
    /// The number of random characters of a code.
    public static let characterCount = 20

    /// The numbers of codes that can be made at once.
    public static let counts: ClosedRange<Int> = 1...100

    /// Makes new codes, in groups of five characters: lowercase letters and digits without those that look like others.
    ///
    /// - Parameter count: The number of codes, from 1 to 100.
    /// - Returns: The codes, as ASCII.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public static func generate(count: Int = 10) throws(LoginServerError) -> [SecretBytes] {
        try LoginServerError.check("the number of recovery codes", count, in: counts)
        var codes: [SecretBytes] = []
        do {
            let generator = try PasswordGenerator(
                length: characterCount,
                alphabet: .readable,
                isGrouped: true
            )
            for _ in 0..<count { codes.append(try generator.generate()) }
        } catch {
            throw .outOfMemory
        }
        return codes
    }

    /// Returns the key of a code, which is stored in its place.
    ///
    /// - Parameters:
    ///   - code: The code. Letters of either case are accepted, and spaces and hyphens anywhere.
    ///   - account: The name of the account, compared as UTF-8.
    /// - Returns: The key; `nil` if the text cannot be a code.
    public static func key(of code: some SecretInput, account: String) -> StoreKey? {
        code.withSecretBytes { text in
            // A long text is not read to its end.
            guard text.count <= 64 else { return nil }
            var plain = InlineArray<20, UInt8>(repeating: 0)
            var count = 0
            for index in text.indices where text[index] != 0x20 && text[index] != 0x2D {
                let character = 0x41...0x5A ~= text[index] ? text[index] + 0x20 : text[index]
                guard count < characterCount, isAllowed(character) else { return nil }
                plain[count] = character
                count += 1
            }
            return count == characterCount ? StoreKey(recoveryCode: plain.span, account: account) : nil
        }
    }

    /// Verifies a code, and consumes it.
    ///
    /// - Parameters:
    ///   - code: The posted text.
    ///   - account: The name of the account, compared as UTF-8.
    ///   - consume: Deletes a key of this account in one atomic operation, and returns whether it was there: if several calls
    ///     delete the same key at the same time, in all processes, exactly one gets `true`.
    /// - Returns: Whether the code was valid.
    /// - Throws: ``LoginServerError/storeFailed`` if `consume` threw; the code must be rejected.
    ///   ``LoginServerError/cancelled``.
    public static func verify(
        _ code: String,
        account: String,
        consume: (StoreKey) async throws -> Bool
    ) async throws(LoginServerError) -> RecoveryCodeVerification {
        guard let key = key(of: code, account: account) else { return .malformed }
        let isConsumed = try await LoginServerError.wrapping("the store of recovery codes failed") {
            try await consume(key)
        }
        return isConsumed ? .accepted : .rejected
    }

    /// Whether a character is of the alphabet `readable`.
    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "i"), UInt8(ascii: "l"), UInt8(ascii: "o"): false
        default: 0x32...0x39 ~= character || 0x61...0x7A ~= character
        }
    }
}

/// The result of ``RecoveryCodes/verify(_:account:consume:)``.
public enum RecoveryCodeVerification: Sendable, Hashable {
    /// The code was valid, and is used up.
    case accepted
    /// The code is wrong or was used before.
    case rejected
    /// The text cannot be a recovery code.
    case malformed
}
