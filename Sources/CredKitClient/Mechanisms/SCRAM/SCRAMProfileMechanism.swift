// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// SCRAM over HTTP ([RFC 7804](https://www.rfc-editor.org/rfc/rfc7804)): a proof of the password for nonces of both sides,
/// and the server's proof that it knows the password's verifier.
struct SCRAMProfileMechanism: ProfileMechanism {
    static let scheme = "scram"
    static let members: Set<String> = [
        "keyPhrase", "hashFunction", "preparation", "channelBinding", "requiresChannelBinding",
        "maximumIterations", "loginPath", "replacesLayeredVerifier", "verifierPath",
    ]
    static let defaultLogoutPath: String? = "/logout.php"
    static let hasTokenHeader = true

    /// The key phrase of the timestamped login whose password-equivalents the verifiers were made of.
    var keyPhrase: String?
    var hashFunction = SCRAM.HashFunction.sha256
    var preparation = SCRAM.Preparation.rfc4013
    var channelBinding = LoginProfile.ChannelBinding.none
    var maximumIterations = SCRAM.Iterations.recommended.count
    var loginPath = "/scram"
    /// Whether to give the server a verifier of the password in place of one of the password-equivalent.
    var replacesLayeredVerifier = false
    var verifierPath = "/scram-verifier"

    var name: String { Self.scheme }

    /// The numbers of iterations that are accepted.
    var acceptedIterations: ClosedRange<Int> {
        SCRAM.Iterations.minimumCount...max(SCRAM.Iterations.minimumCount, maximumIterations)
    }

    /// The mechanism without channel binding.
    var mechanism: SCRAM.Mechanism { hashFunction == .sha512 ? .sha512 : .sha256 }

    func logIn(
        _ account: String,
        secret: SecretBytes,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        var login = SCRAMLogin(settings: self, account: account, secret: secret)
        do throws(ClientError) {
            return try await login.run(over: exchange)
        } catch {
            if error == .invalidCredentials || error == .serverNotAuthenticated {
                exchange.flow.scramKeys.removeAll()
            }
            throw error
        }
    }
}
