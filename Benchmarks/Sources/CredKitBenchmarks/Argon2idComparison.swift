// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// A new Argon2id hash through `PasswordHasher`, beside the two C libraries.
enum Argon2idComparison {
    /// The costs of OWASP and of RFC 9106.
    static func make() throws -> [Comparison] {
        try [(19 * 1024, 2), (64 * 1024, 3)].flatMap { memoryKiB, passes in
            let hasher = try PasswordHasher(
                policy: PasswordPolicy(preferred: .argon2id(memoryKiB: memoryKiB, passes: passes))
            )
            let sodium = Contender(name: "libsodium, crypto_pwhash_str in C") {
                try clocked { baseline_argon2id_sodium(UInt32(memoryKiB), UInt32(passes)) }
            }
            let reference = Contender(name: "libargon2, argon2id_hash_encoded in C") {
                try clocked { baseline_argon2id_reference(UInt32(memoryKiB), UInt32(passes)) }
            }
            let fresh = Contender(name: "libargon2 in C, with fresh memory each time") {
                try clocked { baseline_argon2id_reference_fresh(UInt32(memoryKiB), UInt32(passes)) }
            }
            let title = "Argon2id of \(memoryKiB / 1024) MiB, \(passes) passes, 1 lane"
            return [
                Comparison(
                    id: "argon2id-\(memoryKiB)-\(passes)",
                    title: title,
                    ours: Contender(name: "PasswordHasher.hash") {
                        try clocked { try hasher.hash("correct horse battery staple").isEmpty ? -1 : 0 }
                    },
                    alternatives: [
                        .init(contender: sodium, goal: .init(minimumSpeed: 1 / 1.10)),
                        .init(contender: fresh, goal: .init(minimumSpeed: 1 / 0.6)),
                        // Beyond the 32 MiB that malloc keeps, memory is fresh anyway.
                        .init(
                            contender: reference,
                            goal: .init(minimumSpeed: memoryKiB > 32 * 1024 ? 1 / 0.6 : 1 / 0.85)
                        ),
                    ],
                    rounds: 30,
                    runs: 5
                ),
                Comparison(
                    id: "argon2id-\(memoryKiB)-\(passes)-noise",
                    title: "\(title): libsodium beside itself",
                    ours: sodium,
                    alternatives: [.init(contender: sodium, goal: .init(minimumSpeed: 0.9))],
                    rounds: 30,
                    runs: 5
                ),
            ]
        }
    }
}
