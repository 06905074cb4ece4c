// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes
internal import CredKitSystem

/// The requests of a login by SCRAM (RFC 7804, section 5).
struct SCRAMRequest {
    let choice: SCRAMBindingChoice
    let path: String

    /// Asks the server for its mechanisms, by a request without credentials.
    func offeredMechanisms(over exchange: LoginExchange) async throws(ClientError) -> Set<SCRAM.Mechanism> {
        let answer = try await exchange.send(
            .post,
            path: path,
            headers: [.cacheControl: "no-store"],
            body: HTTPRequestBody([])
        )
        return try SCRAMAnswer(answer, to: choice.mechanism).offeredMechanisms()
    }

    /// Sends a message of the client.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - sid: The server's name for the exchange; `nil` for the first message.
    ///   - code: A one-time code; `nil` for none.
    ///   - exchange: Sends the request.
    ///   - rule: The channel binding that the connection must have; `nil` for any connection.
    /// - Returns: The answer.
    /// - Throws: Errors of the connection, ``ClientError/channelBindingFailed``, ``ClientError/connectionChanged``.
    func send(
        _ message: String,
        sid: String? = nil,
        code: SecretBytes? = nil,
        over exchange: LoginExchange,
        binding rule: ChannelBindingRule?
    ) async throws(ClientError) -> LoginExchange.Answer {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        do throws(SCRAM.Error) {
            headers[.authorization] = try SCRAM.AuthenticationHeader(
                choice.mechanism.description,
                sid: sid,
                message: message
            ).text
        } catch {
            throw ClientError(error)
        }
        var body: [UInt8] = []
        if let code {
            headers[.contentType] = "application/x-www-form-urlencoded"
            PercentCoding.form.append(LoginProfile.SecondStep().codeField.utf8, to: &body)
            body.append(UInt8(ascii: "="))
            code.withSecretBytes { code in PercentCoding.form.append(code, to: &body) }
        }
        let stage = rule.map { ChannelBindingStage($0) }
        var hops: [any RequestInterceptor] = [LoginCredentials(cookies: exchange.cookies)]
        if let stage { hops.append(stage) }
        var answer = try await exchange.send(
            .post,
            path: path,
            headers: headers,
            body: HTTPRequestBody(body),
            hops: hops
        )
        answer.channelBinding = stage?.binding
        return answer
    }
}

/// Requires a channel binding of the connection that carries a request, and notes it.
final class ChannelBindingStage: RequestInterceptor {
    private let rule: ChannelBindingRule
    private let noted = Lock<SCRAM.ChannelBinding?>(nil)

    init(_ rule: ChannelBindingRule) { self.rule = rule }

    /// The binding of the connection, once there is a response.
    var binding: SCRAM.ChannelBinding? { noted.withLock { $0 } }

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        var next = next
        next.sending.channelBinding = rule
        let response = try await next(request, body: body)
        // A transport that leaves it out would make the login fail later, for a reason that is harder to see.
        guard let binding = response.channelBinding, binding.kind == rule.kind else {
            throw .channelBindingFailed("the transport did not return the binding of the connection")
        }
        if case .exactly(let expected) = rule, binding != expected { throw .connectionChanged }
        noted.withLock { $0 = binding }
        return response
    }
}
