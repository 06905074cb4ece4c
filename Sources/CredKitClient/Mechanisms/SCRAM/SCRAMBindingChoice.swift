// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// The mechanism of one login, and what the client says in it of channel binding.
struct SCRAMBindingChoice: Sendable {
    let mechanism: SCRAM.Mechanism
    let binding: SCRAM.BindingRequest

    /// What the first request requires of its connection.
    var rule: ChannelBindingRule? {
        if case .bound(let kind) = binding { .any(kind) } else { nil }
    }

    /// Chooses whether the login has channel binding. The hash function is that of the profile; the server's offer does not change it.
    static func choose(
        _ settings: SCRAMProfileMechanism,
        over exchange: LoginExchange
    ) async throws(ClientError) -> Self {
        let plain = Self(mechanism: settings.mechanism, binding: .unsupported)
        switch settings.channelBinding {
        case .none: return plain
        case .required(let kind):
            if let problem = exchange.problem(with: kind) { throw problem }
            return plain.bound(kind)
        case .preferred(let kind):
            guard exchange.problem(with: kind) == nil else { return plain }
            let names = try await SCRAMRequest(choice: plain, path: settings.loginPath)
                .offeredMechanisms(over: exchange)
            if names.contains(plain.mechanism.with(channelBinding: true)) { return plain.bound(kind) }
            // The server knows better, and rejects this if it does offer it.
            return Self(mechanism: plain.mechanism, binding: .notOffered)
        }
    }

    private func bound(_ kind: SCRAM.ChannelBinding.Kind) -> Self {
        Self(mechanism: mechanism.with(channelBinding: true), binding: .bound(kind))
    }

    /// Whether another login may succeed where one has failed because of its connection. A code is not sent twice.
    func mayBeginAnew(after error: ClientError, code: SecretBytes?) -> Bool {
        guard rule != nil else { return false }
        return error == .connectionChanged || error == .noResponse && code == nil
    }
}

extension LoginExchange {
    /// Returns the reason why requests to the server have no channel binding of a kind; `nil` if they may have.
    func problem(with kind: SCRAM.ChannelBinding.Kind) -> ClientError? {
        guard flow.server.origin.isSecure else {
            return .channelBindingFailed("the connection to \(flow.server.origin) has no TLS")
        }
        guard flow.runner.transport.channelBindingKinds.contains(kind) else {
            return .channelBindingFailed("the transport does not support \(kind.rawValue)")
        }
        return nil
    }
}
