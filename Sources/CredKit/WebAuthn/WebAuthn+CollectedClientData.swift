// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// What the browser says about a ceremony, which the authenticator signs the digest of
    /// ([§5.8.1](https://www.w3.org/TR/webauthn-3/#dictionary-client-data)).
    struct CollectedClientData: Sendable {
        /// The ceremony that a response is for.
        enum Ceremony: String {
            case registration = "webauthn.create"
            case authentication = "webauthn.get"
        }

        let type: String
        /// The challenge as base64url.
        let challenge: String
        let origin: String
        /// Whether the page is a frame within a page of another origin.
        let isCrossOrigin: Bool

        /// Parses client data. Members that are not known are ignored, as the Recommendation demands.
        init(parsing bytes: [UInt8]) throws(Error) {
            let members: [String: StrictJSON]
            do throws(StrictJSON.ParsingError) {
                members = try StrictJSON(parsing: bytes).object ?? [:]
            } catch {
                throw .malformedClientData(error.reason)
            }
            guard let type = members["type"]?.string, let challenge = members["challenge"]?.string,
                let origin = members["origin"]?.string
            else { throw .malformedClientData("it lacks a type, a challenge or an origin as text") }
            guard let crossOrigin = (members["crossOrigin"] ?? .bool(false)).bool,
                members["topOrigin"].map({ $0.string != nil }) ?? true
            else { throw .malformedClientData("crossOrigin is not a Boolean, or topOrigin is not a text") }
            self.type = type
            self.challenge = challenge
            self.origin = origin
            isCrossOrigin = crossOrigin || members["topOrigin"] != nil
        }

        /// Throws unless these are the data of a ceremony that was begun.
        func check(
            _ ceremony: Ceremony,
            challenge expected: Challenge,
            origins: [String],
            at time: UnixTime
        ) throws(Error) {
            // Texts are compared as bytes, since Swift's are equal if they look the same, and long ones take their time.
            guard type.utf8.elementsEqual(ceremony.rawValue.utf8) else { throw .wrongType }
            guard ConstantTime.areEqual(challenge.utf8, expected.text.utf8) else { throw .wrongChallenge }
            guard time < expected.expiry else { throw .challengeExpired }
            guard origins.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) else { throw .wrongOrigin }
            guard !isCrossOrigin else { throw .crossOrigin }
        }
    }
}
