// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The SHA-256 digest of a public key (the DER of SubjectPublicKeyInfo), written as `sha256//` and Base64
/// like curl's `--pinnedpubkey`.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    private static let prefix = "sha256//"

    /// `sha256//` followed by 44 characters of Base64.
    public let description: String

    /// Parses a pin.
    ///
    /// - Parameter text: `sha256//` followed by 44 characters of Base64, the canonical encoding of 32 bytes.
    /// - Throws: ``ClientError/invalidRequest``.
    public init(_ text: String) throws(ClientError) {
        let digest: [UInt8]
        do {
            guard text.utf8.starts(with: Self.prefix.utf8) else { throw Self.malformed }
            digest = try Base64.standard.decode(String(text.utf8.dropFirst(Self.prefix.utf8.count)) ?? "")
        } catch {
            throw Self.malformed
        }
        guard digest.count == 32 else { throw Self.malformed }
        description = text
    }

    /// Parses a list of pins as curl does.
    ///
    /// - Parameter text: Pins separated by `;`.
    /// - Returns: The pins, at least one.
    /// - Throws: ``ClientError/invalidRequest``.
    package static func list(_ text: String) throws(ClientError) -> [PublicKeyPin] {
        var pins: [PublicKeyPin] = []
        for part in text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            pins.append(try PublicKeyPin(String(Substring(part))))
        }
        return pins
    }

    private static var malformed: ClientError {
        .invalidRequest(
            "invalid public key pin: write 'sha256//' and the 44 Base64 characters of a SHA-256 digest"
        )
    }
}
