// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// Creates sixteen SCRAM verifiers at once on one core, and compares the time with that of OpenSSL's PBKDF2 for as many
/// passwords, one by one. Python's `hashlib.pbkdf2_hmac` calls the same function of OpenSSL.
enum SCRAMVerifierComparison {
    private static let count = 16
    private static let iterations = 4096

    static func measure() throws -> Outcome {
        let login = Legacy.TimestampedLogin(keyPhrase: "itheima")
        let equivalents = (0..<count).map { login.passwordEquivalent(for: "password \($0)") }
        let cost = try SCRAM.Iterations.fewer(iterations)
        func verifiers() throws -> [SCRAM.Verifier] {
            try SCRAM.Verifier.verifiers(ofPasswordEquivalents: equivalents, iterations: cost)
        }
        for (equivalent, verifier) in zip(equivalents, try verifiers()) {
            let single = try SCRAM.Verifier(
                passwordEquivalent: equivalent,
                iterations: cost,
                salt: verifier.salt
            )
            guard single == verifier else {
                throw Failure(description: "a verifier of a batch is not that of its password-equivalent")
            }
        }
        let (ours, theirs) = ("SCRAM.Verifier.verifiers", "PKCS5_PBKDF2_HMAC in C, one by one")
        return try Comparison(
            id: "scram-verifiers",
            title: "\(count) SCRAM verifiers of \(iterations) iterations on one core",
            contenders: [
                Contender(name: ours) { try timed { try verifiers().count == count ? 0 : -1 } },
                Contender(name: theirs) { try timed { baseline_pbkdf2(Int32(count), Int32(iterations), 1) } },
            ],
            claims: [.speed("scram-verifiers", ours, theirs, atLeast: 4)],
            rounds: 101
        ).measure()
    }

    /// Measures the processor time of this thread, because all of the work is arithmetic.
    private static func timed(_ body: () throws -> Int32) throws -> Sample {
        let start = ThreadTime.seconds
        guard try body() == 0 else { throw Failure(description: "a contender failed") }
        return Sample(seconds: ThreadTime.seconds - start)
    }
}
