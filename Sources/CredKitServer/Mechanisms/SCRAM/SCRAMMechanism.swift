// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The login by SCRAM as a mechanism of ``LoginService``: the password is not sent, and the server proves itself too.
///
/// ```swift
/// let scram = try SCRAMMechanism(mockKey: key, mockKinds: kinds)         // both are kept as long as the table
/// let service = try LoginService(accounts: users, mechanisms: [scram], storage: storage)
///
/// // First request: the client's first message.
/// let answer = try await service.beginSCRAM(clientFirst, as: .sha256)
/// // Second request: what `answer` gave the client as `sid`, and the client's last message.
/// let outcome = try await service.finishSCRAM(sid: sid, clientFinal: message, clientAddress: address)
/// if case .accepted(let user) = outcome.decision { … }                   // and send outcome.answer
/// ```
///
/// Nothing is remembered between the two requests, which may reach different processes with the same key: `sid` contains both
/// first messages and the time, encrypted. A login is accepted once, by the nonce of the server.
///
/// Users who do not exist, and those whose credential has no verifier, get one of `SCRAM.MockVerifiers`: the same salt each time,
/// and numbers of iterations in the shares of the table. The same work is done for everyone.
///
/// > Important: For a form over TLS, Argon2id is the better choice: see ``CredKit/SCRAM``.
public struct SCRAMMechanism: ServerLoginMechanism {
    /// The name of the mechanism with SHA-256: `scram`. With SHA-512 it is `scram-sha-512`.
    public static let name = "scram"

    /// The size of a key of ``init(mockKey:mockKinds:key:configuration:)`` in bytes.
    public static let keyByteCount = TokenSealer.keyByteCount

    /// The maximum size of a client's first message in bytes: a name of 1,024 bytes, each escaped, and a nonce.
    static let maximumFirstByteCount = 4096
    /// The maximum size of a token: both first messages in Base64.
    static let maximumTokenByteCount = 12 << 10

    let configuration: SCRAMConfiguration
    let mocks: SCRAM.MockVerifiers
    let tickets: TokenSealer
    private let exchanges: TokenSealer
    /// Stands in for the credential of an account that does not exist.
    private let standIn: StoredCredential

    /// The name of the mechanism: `scram` or `scram-sha-512`.
    public var name: String { configuration.hashFunction == .sha256 ? Self.name : "scram-sha-512" }

    /// Creates a mechanism.
    ///
    /// - Parameters:
    ///   - mockKey: The key of the mock verifiers, at least 32 bytes. Keep it secret, and as long as the table: a name whose
    ///     salt changes does not exist.
    ///   - mockKinds: The kinds of verifiers in the table, in their shares when the key was made: see
    ///     ``CredKit/SCRAM/MockVerifiers/Kind/counted(in:hashFunction:)``. Keep them together with the key.
    ///   - key: A key of ``keyByteCount`` bytes, shared by all processes that serve the same clients; `nil` for a random one,
    ///     with which logins that an earlier process began cannot be finished.
    ///   - configuration: The settings.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public init(
        mockKey: SecretBytes,
        mockKinds: [SCRAM.MockVerifiers.Kind],
        key: SecretBytes? = nil,
        configuration: SCRAMConfiguration = SCRAMConfiguration()
    ) throws(LoginServerError) {
        try configuration.check(mockKinds)
        do throws(SCRAM.Error) {
            mocks = try SCRAM.MockVerifiers(key: mockKey, kinds: mockKinds)
        } catch {
            throw LoginServerError(.invalidConfiguration, message: "\(error)", underlying: error)
        }
        let chosen = try TokenSealer.checkedKey(key)
        self.configuration = configuration
        let name = configuration.hashFunction.rawValue
        let (verifier, subject) = mocks.verifier(for: "stand-in")
        standIn = StoredCredential(SCRAM.Record(verifier, of: subject))
        exchanges = TokenSealer(key: chosen, purpose: "SCRAM exchange \(name)")
        tickets = TokenSealer(key: chosen, purpose: "SCRAM verifier ticket \(name)")
    }

    /// The mechanisms of SCRAM that clients may choose, the strongest first: what a 401 lists.
    public var offered: [SCRAM.Mechanism] {
        let plain: SCRAM.Mechanism = configuration.hashFunction == .sha256 ? .sha256 : .sha512
        let binding = self.binding
        let bound = binding.bindings.isEmpty ? [] : [plain.with(channelBinding: true)]
        return bound + (binding.isRequired ? [] : [plain])
    }

    /// The channel bindings that are offered now.
    var binding: SCRAM.Server.BindingOffer { configuration.currentBinding?() ?? configuration.binding }

    /// Verifies the last message of a client.
    ///
    /// - Parameters:
    ///   - attempt: What the client sent: its last message as the response, and the `sid` of its first request as the challenge.
    ///     The name must be the one of the first message, as ``SCRAMConfiguration/normalizingName`` returns it.
    ///   - account: The user; `nil` if there is none.
    ///   - now: The current time.
    /// - Returns: The verdict.
    /// - Throws: ``LoginServerError/outOfMemory``.
    public func verify(
        _ attempt: LoginAttempt,
        account: LoginAccount?,
        at now: UnixTime
    ) async throws(LoginServerError) -> MechanismVerdict {
        let (verifier, _) = verifier(of: account, named: attempt.username)
        guard let sid = attempt.challenge, let exchange = try exchange(sid, at: now),
            configuration.normalizingName(exchange.clientFirst.username).utf8
                .elementsEqual(attempt.username.utf8)
        else { return .rejected }
        let message = attempt.response.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
        do throws(SCRAM.Error) {
            let server = try SCRAM.Server(
                resuming: exchange.clientFirst,
                serverFirst: exchange.serverFirst,
                verifier: verifier,
                offer: binding
            )
            switch try server.verify(message) {
            case .rejected(let answer): return .rejected(answer: answer)
            case .accepted(let answer):
                guard let account else { return .rejected }
                let use = exchange.use(of: account, nonce: server.nonce, at: now)
                var verdict = MechanismVerdict.accepted(using: use, answer: answer)
                verdict.ticket = try? ticket(for: account, at: now)
                return verdict
            }
        } catch {
            return .rejected(answer: error.serverMessage)
        }
    }

    /// Returns the verifier of an account with what it was made of, and the mock of its name if it has none. The work is the same
    /// in both cases.
    func verifier(of account: LoginAccount?, named name: String) -> (SCRAM.Verifier, SCRAM.VerifierSubject) {
        let mock = mocks.verifier(for: name)
        let record = (account?.credential ?? standIn).usableRecord
        guard account != nil, let record, record.verifier.hashFunction == configuration.hashFunction else {
            return mock
        }
        return (record.verifier, record.subject)
    }

    /// Returns the token of an exchange.
    func sid(for exchange: SCRAMExchange) throws(LoginServerError) -> String {
        try exchanges.seal(exchange.content.bytes)
    }

    /// Returns the exchange of a token; `nil` if it is not one of this mechanism's, or has expired.
    func exchange(_ sid: String, at now: UnixTime) throws(LoginServerError) -> SCRAMExchange? {
        guard let (bytes, _) = try exchanges.open(sid, maximumByteCount: Self.maximumTokenByteCount),
            let exchange = SCRAMExchange(bytes, lifetime: configuration.lifetime),
            exchange.content.isValid(at: now, for: configuration.lifetime)
        else { return nil }
        return exchange
    }
}

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
        let account = try await LoginServerError.wrappingLookup { try await lookup(name) }
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
