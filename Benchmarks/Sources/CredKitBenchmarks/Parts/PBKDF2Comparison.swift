// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// Compares one verification by PBKDF2 through `PasswordContext`, on one core, with OpenSSL in C and with python's hashlib.
enum PBKDF2Comparison {
    private static let ours = "PasswordContext.verify"
    private static let openSSL = "PKCS5_PBKDF2_HMAC in C"
    private static let hashlib = "python's hashlib.pbkdf2_hmac"
    /// So many that what surrounds the iterations takes less than a fiftieth of the time.
    private static let iterations = 100_000

    /// A hash function, by the name of OpenSSL and python.
    private struct Function {
        let name: String
        /// The hash of `correct horse` by hashlib, in passlib's notation.
        let hash: String
        let bound: Double
    }

    private static let functions = [
        Function(
            name: "sha256",
            hash: "$pbkdf2-sha256$100000$c2FsdHNhbHRzYWx0c2FsdA$KrknpOxgyY.SfnUNJ728j3mLPGzlOZ2k28ROG3/DgyU",
            bound: 2.7
        ),
        Function(
            name: "sha512",
            hash: "$pbkdf2-sha512$100000$c2FsdHNhbHRzYWx0c2FsdA$Byw7nkAtKTXuj81UG53itgTqoZEs8GqToqbceEw3SpR"
                + "AuIEBcVlhk8Az9c8eVEiRZaKBHGpEw2x/ERTJWKI5rw",
            bound: 1.6
        ),
        Function(
            name: "sha1",
            hash: "$pbkdf2$100000$c2FsdHNhbHRzYWx0c2FsdA$DP5uz.wISlS4z8q.EVVvEFGAuPU",
            bound: 2.7
        ),
    ]

    static func measure(_ options: Options) throws -> [Outcome] {
        let worker = "\(options.root)/Benchmarks/Python/pbkdf2_worker.py"
        let python = try CoProcess("python", [options.python, worker])
        _ = try python.ask("name")
        return try functions.map { try comparison($0, python).measure() }
    }

    private static func comparison(_ function: Function, _ python: CoProcess) throws -> Comparison {
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .pbkdf2SHA256(iterations: iterations))
        )
        let hash = function.hash
        guard try context.verify("correct horse", against: hash).isMatch else {
            throw Failure(description: "a password does not match its hash by hashlib")
        }
        let id = "pbkdf2-\(function.name)"
        return Comparison(
            id: id,
            title: "PBKDF2 with \(function.name) and \(iterations) iterations of one password",
            contenders: [
                // A wrong password takes as long as a right one, and is not hashed anew.
                Contender(name: ours) {
                    try timed { try context.verify("wrong horse", against: hash).isMatch ? -1 : 0 }
                },
                Contender(name: openSSL) {
                    try timed { baseline_pbkdf2_single(function.name, Int32(iterations)) }
                },
                Contender(name: hashlib) {
                    let answer = try python.ask("pbkdf2 \(function.name) \(iterations)")
                    guard let nanoseconds = Double(answer) else {
                        throw Failure(description: "python answers with '\(answer)', which is not a time")
                    }
                    return Sample(seconds: nanoseconds / 1e9)
                },
            ],
            claims: [
                .speed("\(id)-openssl", ours, openSSL, atLeast: function.bound),
                .speed("\(id)-hashlib", ours, hashlib, atLeast: function.bound),
            ],
            rounds: 41
        )
    }

    /// Measures the processor time of this thread, because all of the work is arithmetic.
    private static func timed(_ body: () throws -> Int32) throws -> Sample {
        let start = ThreadTime.seconds
        guard try body() == 0 else { throw Failure(description: "a contender failed") }
        return Sample(seconds: ThreadTime.seconds - start)
    }
}
