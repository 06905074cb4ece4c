// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// Compares the verification of one hash of crypt(3) through `PasswordContext` with libxcrypt's, which computes yescrypt for both.
enum CryptComparison {
    private static let password = "correcthorse"
    private static let (ours, theirs) = ("PasswordContext.verify", "libxcrypt, crypt_r in C")

    static func measure() throws -> [Outcome] {
        [
            try comparison("sha512-crypt", .sha512Crypt(rounds: 656_000), atLeast: 1.6),
            // Depends on the SHA instructions.
            try comparison("sha256-crypt", .sha256Crypt(rounds: 656_000), atLeast: nil),
            try comparison("yescrypt", .yescrypt(cost: 5), atLeast: 0.9),
        ]
    }

    private static func comparison(
        _ id: String,
        _ parameters: PasswordParameters,
        atLeast bound: Double?
    ) throws -> Outcome {
        let context = try PasswordContext(policy: PasswordPolicy(preferred: parameters))
        let hash = try context.hash(password)
        return try Comparison(
            id: id,
            title: "\(parameters), one password of \(password.utf8.count) bytes",
            contenders: [
                Contender(name: ours) {
                    try timed { try context.verify(password, against: hash).isMatch ? 0 : -1 }
                },
                Contender(name: theirs) { try timed { baseline_crypt_hash(password, hash) } },
            ],
            claims: [.speed(id, ours, theirs, atLeast: bound)],
            rounds: 31
        ).measure()
    }

    /// Measures the processor time of this thread, because all of the work is arithmetic.
    private static func timed(_ body: () throws -> Int32) throws -> Sample {
        let start = ThreadTime.seconds
        guard try body() == 0 else { throw Failure(description: "a contender failed") }
        return Sample(seconds: ThreadTime.seconds - start)
    }
}
