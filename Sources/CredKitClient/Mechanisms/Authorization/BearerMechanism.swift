// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// `Authorization: Bearer` with each request ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)). The secret is the token,
/// which another program has issued; it cannot be renewed.
struct BearerMechanism: ProfileMechanism {
    static let scheme = "bearer"
    static let members: Set<String> = ["checkPath", "tokenPrefix"]
    static let hasTokenHeader = true

    /// The path that a login requests to find out whether the server accepts the token; `nil` for no request.
    var checkPath: String?
    /// What stands before the token in the header; `nil` for what is usual there.
    var tokenPrefix: String?

    var name: String { Self.scheme }
    var tokenSource: LoginTokenSource { .login }
    var provesAccount: Bool { false }

    func check() throws(ClientError) { try AuthorizationCheck.check(path: checkPath) }

    func logIn(
        _ account: String,
        secret: SecretBytes,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        let token = try Self.authorization(
            with: secret,
            after: exchange.flow.profile.headerPrefix(tokenPrefix)
        )
        try await AuthorizationCheck.run(token, of: secret, path: checkPath, over: exchange)
        return LoginOutcome(token: token)
    }

    /// Returns the value of the header with a token.
    static func authorization(
        with token: SecretBytes,
        after prefix: String = "Bearer "
    ) throws(ClientError) -> SecretBytes {
        guard token.withSecretBytes({ isToken($0) }) else {
            throw .invalidRequest(
                "cannot log in: a Bearer token has letters, digits, -._~+/ and = at its end, and nothing else"
            )
        }
        return try token.preceded(by: prefix)
    }

    /// Returns the token of such a value, of any scheme.
    static func token(of authorization: SecretBytes) throws(ClientError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(capacity: authorization.count) { output in
                authorization.withSecretBytes { bytes in
                    let end = bytes.indices.first { bytes[$0] == UInt8(ascii: " ") } ?? -1
                    for index in bytes.indices.dropFirst(end + 1) { output.append(bytes[index]) }
                }
            }
        } catch {
            throw .outOfMemory
        }
    }

    /// Whether bytes are a `b64token` of RFC 6750, section 2.1.
    private static func isToken(_ bytes: Span<UInt8>) -> Bool {
        var count = bytes.count
        while count > 0, bytes[count - 1] == UInt8(ascii: "=") { count -= 1 }
        return count > 0
            && (0..<count).allSatisfy { index in
                switch bytes[index] {
                case 48...57, 65...90, 97...122: true
                case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
                case UInt8(ascii: "+"), UInt8(ascii: "/"): true
                default: false
                }
            }
    }
}
