// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension SCRAMMechanism {
    /// Answers the first message of a client.
    func begin(
        _ message: String,
        as mechanism: SCRAM.Mechanism,
        at now: UnixTime,
        lookup: (String) async throws -> LoginAccount?
    ) async throws(LoginServerError) -> SCRAMFirstAnswer {
        let first: SCRAM.ClientFirst
        do throws(SCRAM.Error) {
            guard message.utf8.count <= Self.maximumFirstByteCount else { throw .overLimit }
            first = try SCRAM.ClientFirst(message)
            try check(mechanism, first.binding)
        } catch {
            return .rejected(error)
        }
        let name = configuration.normalizingName(first.username)
        let account = try await LoginServerError.wrapping(
            "the lookup of the user failed",
            code: .lookupFailed
        ) {
            try await lookup(name)
        }
        // From here on only the content of the answer depends on whether the user exists.
        let (verifier, subject) = verifier(of: account, named: name)
        do {
            let server = try SCRAM.Server(
                clientFirst: first,
                verifier: verifier,
                subject: configuration.statesSubject ? subject : nil,
                offer: binding
            )
            let exchange = SCRAMExchange(
                first,
                message: message,
                server: server,
                at: now,
                lifetime: configuration.lifetime
            )
            return .challenge(sid: try sid(for: exchange), serverFirst: server.firstMessage)
        } catch let error as SCRAM.Error {
            return .rejected(error)
        } catch {
            throw .outOfMemory
        }
    }

    /// Throws if the client chose a mechanism that is not offered, or one that its message contradicts.
    private func check(
        _ mechanism: SCRAM.Mechanism,
        _ request: SCRAM.BindingRequest
    ) throws(SCRAM.Error) {
        guard mechanism.hashFunction == configuration.hashFunction else { throw .unsupported }
        var isBound = false
        if case .bound = request { isBound = true }
        guard mechanism.hasChannelBinding == isBound else { throw .channelBindingFailed }
    }
}
