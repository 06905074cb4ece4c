// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The right to replace a verifier, as the client carries it from its login to the next request.
struct VerifierTicket: Sendable {
    /// The time in which a ticket can be used.
    static let lifetime = Duration.seconds(60)

    let account: String
    let credential: String
    let content: TokenContent
    let id: [UInt8]

    /// What a replacement uses up.
    func use(at now: UnixTime) -> SingleUse {
        SingleUse(
            StoreKey("SCRAM verifier ticket", Hex.encode(id)),
            of: account,
            // For processes whose clocks are behind: the ticket is valid there for longer.
            validFrom: content.time - LoginChallenge.tolerance,
            validUntil: content.time + Self.lifetime + LoginChallenge.tolerance + .seconds(1),
            verifiedAt: now
        )
    }

    /// What a ticket says of a credential: it changes with the credential, and reveals nothing of it.
    static func fingerprint(of credential: StoredCredential) -> String {
        StoreKey("credential", credential.text).hex
    }
}

extension SCRAMMechanism {
    /// Returns a ticket for an account that has logged in; `nil` if there is nothing to replace.
    func ticket(for account: LoginAccount, at now: UnixTime) throws(LoginServerError) -> String? {
        guard configuration.replacesLayeredVerifiers, account.credential.state == .layeredVerifier else {
            return nil
        }
        let texts = [account.name, VerifierTicket.fingerprint(of: account.credential)]
        return try tickets.seal(TokenContent(time: now, texts: texts).bytes)
    }

    /// Returns the ticket that a client sent; `nil` if it is not one of this mechanism's, or has expired.
    func ticket(_ text: String, at now: UnixTime) throws(LoginServerError) -> VerifierTicket? {
        guard let (bytes, id) = try tickets.open(text, maximumByteCount: Self.maximumTokenByteCount),
            let content = TokenContent(bytes, textCount: 2),
            content.isValid(at: now, for: VerifierTicket.lifetime)
        else { return nil }
        return VerifierTicket(
            account: content.texts[0],
            credential: content.texts[1],
            content: content,
            id: id
        )
    }

    /// Returns a verifier that a client sent, if it is within the limits.
    func newVerifier(_ text: String) throws(LoginServerError) -> SCRAM.Verifier {
        let verifier: SCRAM.Verifier
        do throws(SCRAM.Error) {
            guard text.utf8.count <= 1024, text.utf8.starts(with: "SCRAM-".utf8) else {
                throw .malformedVerifier
            }
            verifier = try SCRAM.Verifier(text)
        } catch {
            throw LoginServerError(.malformedCredential, message: "\(error)", underlying: error)
        }
        guard verifier.hashFunction == configuration.hashFunction else {
            throw .unsuitable("the new verifier is not one of SCRAM-\(configuration.hashFunction.rawValue)")
        }
        guard configuration.replacementIterations.contains(verifier.iterations),
            configuration.replacementSaltByteCounts.contains(verifier.salt.count)
        else { throw .unsuitable("the new verifier has iterations or a salt outside of the accepted ranges") }
        return verifier
    }
}
