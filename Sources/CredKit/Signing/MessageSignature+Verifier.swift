// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// Verifies signed messages by a policy.
    ///
    /// The key that is found by the name in a signature determines the algorithm. A message with several signatures is
    /// accepted if one of them meets the policy.
    ///
    /// A verifier of responses requires components of the request, such as `.method.ofRequest`; otherwise it accepts a
    /// response to another request. See ``Response``.
    public struct Verifier: Sendable {
        /// What each signature must cover, at least.
        public let requiredComponents: [Component]
        /// How old a signature may be.
        public let maximumAge: Duration
        /// How far in the future a signature may have been made, because clocks differ.
        public let clockTolerance: Duration
        /// Whether a signature must have a nonce.
        public let requiresNonce: Bool
        /// What a signature must be for; `nil` ignores what it says.
        public let tag: String?

        /// Creates a verifier.
        ///
        /// - Parameters:
        ///   - components: What each signature must cover, at least one component. A signature over nothing is valid for
        ///     every message.
        ///   - maximumAge: How old a signature may be, without the tolerance; not negative.
        ///   - clockTolerance: How far in the future a signature may have been made; not negative.
        ///   - requiresNonce: Whether a signature must have a nonce, without which replays cannot be detected.
        ///   - tag: What a signature must be for; `nil` ignores what it says.
        /// - Throws: ``Error``, with the code `noComponents`, `invalidComponent`, `limitExceeded`, `repeated`, or
        ///   `invalidArgument` for a negative duration.
        public init(
            requiring components: [Component],
            maximumAge: Duration = .seconds(300),
            clockTolerance: Duration = .seconds(30),
            requiresNonce: Bool = true,
            tag: String? = nil
        ) throws(Error) {
            guard !components.isEmpty else {
                throw Error(.noComponents, "a verifier must require at least one component")
            }
            guard maximumAge >= .zero, clockTolerance >= .zero else {
                throw .invalidArgument("the age or the tolerance of a verifier is negative")
            }
            _ = try Input(components, parameters: Parameters(tag: tag))
            requiredComponents = components
            self.maximumAge = maximumAge
            self.clockTolerance = clockTolerance
            self.requiresNonce = requiresNonce
            self.tag = tag
        }

        /// Verifies a message.
        ///
        /// It does not remember nonces, and does not see the content: use ``ContentDigest``.
        ///
        /// - Parameters:
        ///   - message: The message.
        ///   - more: Further components that the signature must cover, such as `content-digest` if there is content.
        ///   - now: The current time.
        ///   - key: Returns the key with a name; `nil` if there is none. It is called at most ``maximumSignatureCount``
        ///     times.
        /// - Returns: The accepted signature, or why there is none.
        public func verify(
            _ message: Message,
            alsoRequiring more: [Component] = [],
            at now: UnixTime = .now,
            key: (String) -> VerificationKey?
        ) -> Verification {
            switch verifyAll(message, alsoRequiring: more, at: now, stopsAtFirst: true, key: key) {
            case .success(let valid): .valid(valid[0])
            case .failure(let refusal): .invalid(refusal)
            }
        }

        /// Verifies all signatures of a message.
        ///
        /// - Returns: Those that meet the policy, at least one, in order; or why there is none.
        package func verifyAll(
            _ message: Message,
            alsoRequiring more: [Component],
            at now: UnixTime,
            stopsAtFirst: Bool = false,
            key: (String) -> VerificationKey?
        ) -> Result<[Accepted], Refusal> {
            do throws(Error) {
                var refusal: Refusal?
                var valid: [Accepted] = []
                for received in try Received.all(in: message) {
                    switch verify(received, message, more, now, key) {
                    case .valid(let signature):
                        valid.append(signature)
                        if stopsAtFirst { return .success(valid) }
                    case .invalid(let other):
                        // The reason for a signature of another kind is the least interesting one.
                        if refusal.map({ $0.code == .wrongTag }) ?? true { refusal = other }
                    }
                }
                guard valid.isEmpty else { return .success(valid) }
                return .failure(refusal ?? Refusal(.unsigned, "the message has no signature"))
            } catch {
                return .failure(Refusal(error))
            }
        }

        private func verify(
            _ received: Received,
            _ message: Message,
            _ more: [Component],
            _ now: UnixTime,
            _ key: (String) -> VerificationKey?
        ) -> Verification {
            do throws(Error) {
                let input = try received.input()
                let parameters = input.parameters
                if let refusal = refusal(of: parameters, at: now) { return .invalid(refusal) }
                if let component = requiredComponents.first(where: { !input.covers($0) })
                    ?? more.first(where: { !input.covers($0) })
                {
                    return .invalid(Refusal(.notCovered, "the signature does not cover '\(component.name)'"))
                }
                guard let keyID = parameters.keyID, let created = parameters.created else {
                    return .invalid(
                        Refusal(.missingParameter, "the signature has no 'keyid' or no 'created'")
                    )
                }
                guard let key = key(keyID) else {
                    return .invalid(Refusal(.unknownKey, "the signature is by an unknown key"))
                }
                if let name = parameters.algorithmName,
                    !name.hasBytes(of: key.algorithm.rawValue)
                {
                    return .invalid(Refusal(.wrongAlgorithm, "'alg' is not \(key.algorithm.rawValue)"))
                }
                let base = try input.signatureBase(of: message)
                guard key.isValid(received.signature.span, of: base.span) else {
                    return .invalid(Refusal(.invalidSignature, "the signature is not that of the message"))
                }
                let oldest = created + maximumAge + .seconds(1)
                return .valid(
                    Accepted(
                        label: received.label,
                        keyID: keyID,
                        algorithm: key.algorithm,
                        created: created,
                        validUntil: parameters.expires.map { min($0, oldest) } ?? oldest,
                        nonce: parameters.nonce,
                        tag: parameters.tag,
                        components: input.components
                    )
                )
            } catch {
                return .invalid(Refusal(error))
            }
        }

        private func refusal(of parameters: Parameters, at now: UnixTime) -> Refusal? {
            if let tag, parameters.tag.map({ !$0.hasBytes(of: tag) }) ?? true {
                return Refusal(.wrongTag, "the signature has another 'tag' or none")
            }
            guard let created = parameters.created else {
                return Refusal(.missingParameter, "the signature has no 'created'")
            }
            guard !requiresNonce || !(parameters.nonce ?? "").isEmpty else {
                return Refusal(.missingParameter, "the signature has no 'nonce'")
            }
            guard created <= now + clockTolerance else {
                return Refusal(.createdInFuture, "the signature was made in the future")
            }
            guard created + maximumAge >= now else { return Refusal(.tooOld, "the signature is too old") }
            guard parameters.expires.map({ now < $0 }) ?? true else {
                return Refusal(.expired, "the signature has expired")
            }
            return nil
        }
    }
}
