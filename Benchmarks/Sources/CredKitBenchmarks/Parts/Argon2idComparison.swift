// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// Compares new Argon2id hashes through `PasswordContext` with the two C libraries.
enum Argon2idComparison {
    private static let ours = "PasswordContext.hash"
    private static let sodium = "libsodium, crypto_pwhash_str in C"
    private static let sodiumAgain = "libsodium once more"
    private static let fresh = "libargon2 in C, with fresh memory each time"
    private static let kept = "libargon2 in C, argon2id_hash_encoded"

    /// The costs of OWASP and of RFC 9106.
    static func make() throws -> [Comparison] {
        try [(19 * 1024, 2), (64 * 1024, 3)].map { memoryKiB, passes in
            let context = try PasswordContext(
                policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(memoryKiB), passes: passes))
            )
            guard try context.verify("correct horse", against: context.hash("correct horse")).isMatch else {
                throw Failure(description: "a password does not match its hash")
            }
            let costs = (UInt32(memoryKiB), UInt32(passes))
            func contender(_ name: String, _ body: @escaping (UInt32, UInt32) -> Int32) -> Contender {
                Contender(name: name) { try clocked { body(costs.0, costs.1) } }
            }
            let id = "argon2id-\(memoryKiB / 1024)m"
            // malloc keeps up to 32 MiB from one hash to the next; above that, memory is always new.
            let keptBound = memoryKiB > 32 * 1024 ? 0.6 : 0.85
            return Comparison(
                id: id,
                title: "Argon2id of \(memoryKiB / 1024) MiB, \(passes) passes, 1 lane",
                contenders: [
                    Contender(name: ours) {
                        try clocked { try context.hash("correct horse battery staple").isEmpty ? -1 : 0 }
                    },
                    contender(sodium, baseline_argon2id_sodium),
                    contender(sodiumAgain, baseline_argon2id_sodium),
                    contender(fresh, baseline_argon2id_reference_fresh),
                    contender(kept, baseline_argon2id_reference),
                ],
                claims: [
                    .time("\(id)-sodium", ours, sodium, atMost: 1.1),
                    .time("\(id)-argon2", ours, fresh, atMost: 0.6),
                    .time("\(id)-argon2-kept", ours, kept, atMost: keptBound),
                    // The noise of a ratio whose two sides are the same code.
                    .time("\(id)-noise", sodiumAgain, sodium, atMost: nil),
                ],
                // Single rounds differ by 5 %, the median of this many by 1 %.
                rounds: 31
            )
        }
    }
}
