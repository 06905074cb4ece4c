// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension LoginProfile {
    /// The path of the request that checks the secret of Basic or Bearer; `nil` if there is no such request.
    private var checkPath: String? {
        switch mechanism {
        case let mechanism as BasicMechanism: mechanism.checkPath
        case let mechanism as BearerMechanism: mechanism.checkPath
        default: nil
        }
    }

    /// Finds out whether the request that checks the secret of Basic or Bearer tells anything: a server that answers it to
    /// everyone has not checked the secret. Credentials are not sent.
    ///
    /// - Parameters:
    ///   - server: The server's URL.
    ///   - configuration: How to connect.
    /// - Returns: The path that everyone may read; `nil` if the server refuses it to others, or is not available now.
    package func publicCheckPath(
        at server: String,
        _ configuration: LoginSession.Configuration
    ) async -> String? {
        guard let checkPath else { return nil }
        var plain = LoginSession.Configuration()
        plain.timeouts = configuration.timeouts
        plain.connection = configuration.connection
        plain.logger = configuration.logger
        plain.allowsInsecureHTTP = configuration.allowsInsecureHTTP
        do throws(ClientError) {
            let session = try LoginSession(
                server: self.server ?? server,
                profile: .form(),
                keychain: nil,
                configuration: plain
            )
            let request = OutgoingRequest(
                url: try session.server.appending(path: checkPath),
                headers: [.cacheControl: "no-store", .userAgent: "CredKit"]
            )
            let answer = try await session.runner.run(request, stops: { _ in true })
            return answer.head.status.code < 300 ? checkPath : nil
        } catch {
            return nil
        }
    }
}
