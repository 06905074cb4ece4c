// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// The request of a login whose secret goes with each request: it shows whether the server accepts the secret.
enum AuthorizationCheck {
    /// Sends the request. Only status 401 means that the server rejects the secret: what the path is, and whether it exists,
    /// does not matter.
    static func run(
        _ authorization: SecretBytes,
        of secret: SecretBytes,
        path: String?,
        over exchange: LoginExchange
    ) async throws(ClientError) {
        guard let path else { return }
        let header = exchange.flow.profile.tokenHeader.flatMap { HTTPField.Name($0) } ?? .authorization
        let answer = try await exchange.send(
            .get,
            path: path,
            headers: [header: authorization.text, .cacheControl: "no-cache"]
        )
        try LoginVerdict.checkAvailability(answer, secrets: [secret])
        let status = answer.head.status.code
        guard status != 401 else {
            throw ClientError(
                .invalidCredentials,
                message: "the server rejected the user name, password or token (status 401)",
                statusCode: status,
                serverMessage: ServerMessage.text(of: answer.response.head, answer.response.body)
            )
        }
        guard !answer.isRedirect else {
            throw .redirectRefused(
                "the server redirects the request that checks the login, so its answer is unknown: name another \"checkPath\" in a login profile",
                status: status
            )
        }
    }

    static func check(path: String?) throws(ClientError) {
        guard let path else { return }
        guard path.utf8.starts(with: "/".utf8), !path.utf8.starts(with: "//".utf8) else {
            throw .invalidProfile("invalid login profile: checkPath must begin with exactly one slash")
        }
    }
}

extension SecretBytes {
    /// Returns a secret with a text before it.
    func preceded(by text: String) throws(ClientError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(capacity: text.utf8.count + count) { output in
                for byte in text.utf8 { output.append(byte) }
                withSecretBytes { secret in
                    for index in secret.indices { output.append(secret[index]) }
                }
            }
        } catch {
            throw .outOfMemory
        }
    }
}
