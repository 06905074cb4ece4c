// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Foundation

/// Measures how many timestamped-login proofs a server checks per second on one core, with a window of ±2 minutes,
/// compared with the unavoidable HMAC-MD5s: one for each minute of the window.
enum VerifierLoad {
    private static let candidates = 5

    static func make() throws -> Comparison {
        let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")
        let verifier = try LoginVerifier(scheme)
        let equivalent = scheme.passwordEquivalent(for: "zhang")
        let account = LoginAccount(
            name: "zhang",
            credential: StoredCredential(passwordEquivalent: equivalent)
        )
        let now = UnixTime(1_471_428_030)
        let minute = try Legacy.TimestampedLogin.Minute(now)
        let proof = scheme.proof(passwordEquivalent: equivalent, at: minute).hex

        let key = Legacy.HMACMD5.Key(Legacy.MD5.hash(data: "itheima".utf8).hex)
        let message = Array((equivalent.hex + minute.description).utf8)

        let hmacs = "\(candidates) HMAC-MD5s alone, prepared key"
        let proofs: [(id: String, name: String, proof: String, account: LoginAccount?)] = [
            ("right", "LoginVerifier, a right proof", proof, account),
            ("wrong", "LoginVerifier, a wrong proof", String(proof.reversed()), account),
            ("unknown", "LoginVerifier, no such user", proof, nil),
        ]
        return Comparison(
            id: "verifier",
            title: "A proof with a window of ±2 minutes, on one core",
            contenders: proofs.map { line in
                Contender(line.name, byteCount: 0) { iterations in
                    var rights = 0
                    for _ in 0..<iterations {
                        rights += verifier.accepts(line.proof, line.account, now) ? 1 : 0
                    }
                    guard rights == (line.id == "right" ? iterations : 0) else {
                        throw Failure(description: "the verifier does not answer as it should")
                    }
                }
            } + [
                Contender(hmacs, byteCount: 0) { iterations in
                    for _ in 0..<(iterations * candidates) {
                        sink ^= Legacy.HMACMD5.authenticationCode(for: message, using: key)[0]
                    }
                }
            ],
            claims: proofs.map { .time("verifier-\($0.id)", $0.name, hmacs, atMost: 1.2) },
            // A sample takes 2 ms.
            rounds: 101
        )
    }

    /// Prevents the compiler from removing work whose result is unused.
    nonisolated(unsafe) private static var sink: UInt8 = 0
}

extension LoginVerifier {
    fileprivate func accepts(_ proof: String, _ account: LoginAccount?, _ now: UnixTime) -> Bool {
        if case .accepted = verify(proof: proof, account: account, at: now) { true } else { false }
    }
}
