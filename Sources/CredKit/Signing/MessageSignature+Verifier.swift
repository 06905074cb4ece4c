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
        /// How old a signature may be by default, here, in `RequestVerifier` of CredKitServer and in the command.
        public static let standardMaximumAge = Duration.seconds(300)
        /// The required components, as the fields of most messages have them.
        private let expected: ExpectedComponents
        /// The durations in whole seconds.
        private let ageSeconds: Int64
        private let toleranceSeconds: Int64

        /// Creates a verifier.
        ///
        /// - Parameters:
        ///   - components: What each signature must cover, at least one component. A signature over nothing is valid for
        ///     every message.
        ///   - maximumAge: How old a signature may be, without the tolerance; not negative. Default: 5 minutes.
        ///   - clockTolerance: How far in the future a signature may have been made; not negative. Default:
        ///     30 seconds; that of `RequestVerifier` of CredKitServer is 5.
        ///   - requiresNonce: Whether a signature must have a nonce, without which replays cannot be detected.
        ///   - tag: What a signature must be for; `nil` ignores what it says.
        /// - Throws: ``Error``, with the code `noComponents`, `invalidComponent`, `limitExceeded`, `repeated`, or
        ///   `invalidArgument` for a negative duration.
        public init(
            requiring components: [Component],
            maximumAge: Duration = Verifier.standardMaximumAge,
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
            let input = try Input(components, parameters: Parameters(tag: tag))
            expected = try ExpectedComponents(input.list)
            requiredComponents = components
            self.maximumAge = maximumAge
            self.clockTolerance = clockTolerance
            ageSeconds = maximumAge.components.seconds
            toleranceSeconds = clockTolerance.components.seconds
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
            var accepted: Accepted?
            let refusal = visit(message, more, now, key) { signature in
                accepted = signature
                return false
            }
            return accepted.map { .valid($0) } ?? .invalid(refusal)
        }

        /// Verifies all signatures of a message.
        ///
        /// - Returns: Those that meet the policy, at least one, in order; or why there is none.
        package func verifyAll(
            _ message: Message,
            alsoRequiring more: [Component],
            at now: UnixTime,
            key: (String) -> VerificationKey?
        ) -> Result<[Accepted], Refusal> {
            var accepted: [Accepted] = []
            let refusal = visit(message, more, now, key) { signature in
                accepted.append(signature)
                return true
            }
            return accepted.isEmpty ? .failure(refusal) : .success(accepted)
        }

        /// Calls `body` with each signature that meets the policy, until it returns `false`.
        ///
        /// - Returns: Why other signatures do not meet the policy.
        private func visit(
            _ message: Message,
            _ more: [Component],
            _ now: UnixTime,
            _ key: (String) -> VerificationKey?,
            _ body: (Accepted) -> Bool
        ) -> Refusal {
            var refusal: Refusal?
            do throws(Error) {
                var all = try Received.all(in: message, expecting: expected)
                // From the end, signatures can be moved out.
                all.reverse()
                while let received = all.popLast() {
                    do throws(Refusal) {
                        guard body(try accept(received, of: message, more, now, key)) else { break }
                    } catch {
                        // The reason for a signature of another kind is the least interesting one.
                        if refusal.map({ $0.code == .wrongTag }) ?? true { refusal = error }
                    }
                }
            } catch {
                return Refusal(error)
            }
            return refusal ?? Refusal(.unsigned, "the message has no signature")
        }

        private func accept(
            _ received: Received,
            of message: Message,
            _ more: [Component],
            _ now: UnixTime,
            _ key: (String) -> VerificationKey?
        ) throws(Refusal) -> Accepted {
            let input = try Refusal.wrapping { () throws(Error) in try received.input(expecting: expected) }
            let parameters = input.parameters.known
            let (nonce, tag) = (parameters.nonce, parameters.tag)
            if let required = self.tag, tag.map({ !$0.hasBytes(of: required) }) ?? true {
                throw Refusal(.wrongTag, "the signature has another 'tag' or none")
            }
            guard let created = parameters.created else {
                throw Refusal(.missingParameter, "the signature has no 'created'")
            }
            guard !requiresNonce || !(nonce ?? "").isEmpty else {
                throw Refusal(.missingParameter, "the signature has no 'nonce'")
            }
            let validUntil = try checkTime(created: created, expires: parameters.expires, now: now)
            if let component = input.list.firstMissing(of: requiredComponents)
                ?? input.list.firstMissing(of: more)
            {
                throw Refusal(.notCovered, "the signature does not cover '\(component.name)'")
            }
            guard let keyID = parameters.keyID else {
                throw Refusal(.missingParameter, "the signature has no 'keyid'")
            }
            guard let key = key(keyID) else {
                throw Refusal(.unknownKey, "the signature is by an unknown key")
            }
            if let name = parameters.algorithmName, !name.hasBytes(of: key.algorithm.rawValue) {
                throw Refusal(.wrongAlgorithm, "'alg' is not \(key.algorithm.rawValue)")
            }
            let base = try Refusal.wrapping { () throws(Error) in try input.signatureBase(of: message) }
            guard key.isValid(received.signature.span, of: base.span) else {
                throw Refusal(.invalidSignature, "the signature is not that of the message")
            }
            return Accepted(
                label: received.label,
                keyID: keyID,
                algorithm: key.algorithm,
                created: created,
                validUntil: validUntil,
                nonce: nonce,
                tag: tag,
                components: input.components
            )
        }

        /// Returns from when on the signature is refused.
        private func checkTime(
            created: UnixTime,
            expires: UnixTime?,
            now: UnixTime
        ) throws(Refusal) -> UnixTime {
            guard created <= now.adding(seconds: toleranceSeconds) else {
                throw Refusal(.createdInFuture, "the signature was made in the future")
            }
            let lastTime = created.adding(seconds: ageSeconds)
            guard lastTime >= now else { throw Refusal(.tooOld, "the signature is too old") }
            guard expires.map({ now < $0 }) ?? true else {
                throw Refusal(.expired, "the signature has expired")
            }
            let tooOld = UnixTime(lastTime.seconds == .max ? .max : lastTime.seconds + 1)
            return expires.map { min($0, tooOld) } ?? tooOld
        }
    }
}
