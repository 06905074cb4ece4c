// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import HTTPTypes

/// The last nonce of each server: what its next proof must contain (RFC 9449, sections 8 and 9).
final class DPoPNonces: Sendable {
    /// What a server is asked as. One that is both may have two nonces.
    enum Role: Sendable, Hashable {
        case authorization, resource
    }

    private struct Place: Hashable {
        let origin: Origin
        let role: Role
    }

    private static let field = HTTPField.Name("DPoP-Nonce")
    private static let maximumByteCount = 4096

    private let nonces = Lock<[Place: String]>([:])

    /// Returns the last nonce of a server; `nil` if it has sent none.
    func nonce(of origin: Origin, as role: Role) -> String? {
        nonces.withLock { $0[Place(origin: origin, role: role)] }
    }

    /// Takes the nonce of a response, also of one that refuses the request.
    ///
    /// - Returns: The nonce; `nil` if there is none.
    func take(_ head: HTTPResponse, of origin: Origin, as role: Role) -> String? {
        guard let name = Self.field else { return nil }
        let values = head.headerFields[values: name]
        guard values.count == 1, Self.isNonce(values[0]) else { return nil }
        nonces.withLock { $0[Place(origin: origin, role: role)] = values[0] }
        return values[0]
    }

    /// Whether a text has only characters of the grammar (`NQCHAR` of RFC 6749, appendix A).
    private static func isNonce(_ text: String) -> Bool {
        1...maximumByteCount ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                0x21...0x7E ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            }
    }
}
