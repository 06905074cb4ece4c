// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension OAuthMechanism {
    /// Asks for the codes of a login that the user confirms with another device.
    func authorizeDevice(over exchange: LoginExchange) async throws(ClientError) -> DeviceAuthorization {
        guard let path = deviceAuthorizationPath else {
            throw .invalidProfile("the login profile has no deviceAuthorizationPath")
        }
        var fields: [(key: String, value: String)] = []
        if let scope { fields.append(("scope", scope)) }
        if let resource { fields.append(("resource", resource)) }
        let answer = try await post(fields, [], to: path, over: exchange)
        try checkAvailability(answer)
        return try DeviceAuthorization(answer.head, answer.body)
    }

    /// Asks for the token until the user has confirmed or refused the login, or its code has expired.
    func awaitConfirmation(
        of authorization: DeviceAuthorization,
        over exchange: LoginExchange,
        clock: some Clock<Duration>
    ) async throws(ClientError) -> LoginOutcome {
        let end = clock.now.advanced(by: authorization.lifetime)
        var interval = authorization.interval
        while clock.now < end {
            do {
                try await clock.sleep(for: min(interval, clock.now.duration(to: end)))
            } catch {
                throw .cancelled
            }
            let time = exchange.flow.now()
            do throws(ClientError) {
                let answer = try await post(
                    [("grant_type", "urn:ietf:params:oauth:grant-type:device_code")],
                    [("device_code", authorization.deviceCode)],
                    to: tokenPath,
                    over: exchange.restarted
                )
                switch TokenError.name(in: answer.body).flatMap({ TokenError(rawValue: $0) }) {
                case .authorizationPending: break
                case .slowDown: interval += .seconds(5)
                default:
                    try checkAvailability(answer, after: authorization.deviceCode)
                    var outcome = try TokenAnswer(answer).outcome(scope: scope)
                    outcome.start = time
                    return outcome
                }
            } catch {
                guard Self.isTransient(error) else { throw error }
                // RFC 8628, section 3.5.
                interval = max(interval * 2, error.retryAfter ?? .zero)
            }
        }
        throw .timedOut("the code has expired before the login was confirmed: log in again")
    }

    /// Whether a later request may succeed.
    private static func isTransient(_ error: ClientError) -> Bool {
        switch error.code {
        case .noConnection, .noResponse, .tooManyAttempts: true
        case .timedOut: error.statusCode == nil
        case .unexpectedStatus: (error.statusCode ?? 0) >= 500
        default: false
        }
    }
}
