// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// `Authorization: Basic` with each request ([RFC 7617](https://www.rfc-editor.org/rfc/rfc7617)), in UTF-8.
struct BasicMechanism: ProfileMechanism {
    static let scheme = "basic"
    static let members: Set<String> = ["checkPath"]

    /// The path that a login requests to find out whether the server accepts the password; `nil` for no request.
    var checkPath: String?

    var name: String { Self.scheme }
    var tokenSource: LoginTokenSource { .login }

    func check() throws(ClientError) { try AuthorizationCheck.check(path: checkPath) }

    func logIn(
        _ account: String,
        secret: SecretBytes,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        // The first colon ends the name.
        guard !account.utf8.contains(UInt8(ascii: ":")), !Self.containsControls(Array(account.utf8).span),
            !secret.withSecretBytes({ Self.containsControls($0) })
        else {
            throw .invalidRequest(
                "cannot log in: with Basic authentication a user name has no colon, and neither name nor password has "
                    + "control characters"
            )
        }
        let pair = try secret.preceded(by: "\(account):")
        let token = try Self.encoded(pair).preceded(by: "Basic ")
        try await AuthorizationCheck.run(token, of: secret, path: checkPath, over: exchange)
        return LoginOutcome(token: token)
    }

    private static func encoded(_ secret: SecretBytes) throws(ClientError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(secret.withSecretBytes { Base64.standard.encode($0) })
        } catch {
            throw .outOfMemory
        }
    }

    private static func containsControls(_ bytes: Span<UInt8>) -> Bool {
        bytes.indices.contains { bytes[$0] < 0x20 || bytes[$0] == 0x7F }
    }
}
