// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// Compares new Argon2id hashes through `PasswordContext` with the two C libraries and with argon2-cffi, and the kernels
/// with each other.
enum Argon2idComparison {
    private static let ours = "PasswordContext.hash"
    private static let small = "PasswordContext.hash without huge pages"
    private static let sodium = "libsodium, crypto_pwhash_str in C"
    private static let sodiumAgain = "libsodium once more"
    private static let fresh = "libargon2 in C, with fresh memory each time"
    private static let kept = "libargon2 in C, argon2id_hash_encoded"
    private static let cffi = "argon2-cffi"

    private static func name(_ kernels: KernelPath) -> String { "\(ours) with \(kernels.rawValue)" }

    /// A size and the most time that a hash may take, as a part of libsodium's.
    private struct Size {
        let memoryMiB, passes: Int
        let bound: Double
        /// Single rounds differ by 5 %, the median of this many by 1 %.
        var rounds = 31
    }

    /// The costs of OWASP and of RFC 9106, and a large one.
    private static let sizes = [
        Size(memoryMiB: 19, passes: 2, bound: 1 / 1.5),
        Size(memoryMiB: 46, passes: 1, bound: 1 / 1.5),
        Size(memoryMiB: 64, passes: 3, bound: 1 / 1.35),
        Size(memoryMiB: 256, passes: 3, bound: 1 / 1.25, rounds: 9),
    ]

    static func measure(_ options: Options) throws -> [Outcome] {
        let paths = [KernelPath.avx2, .portable].filter(\.isSupported)
        let processes =
            try paths.map { (name($0), try CoProcess.argon2(name($0), kernels: $0)) }
            + [
                (small, try CoProcess.argon2(small, kernels: nil, [Argon2Worker.withoutHugePages])),
                (cffi, try CoProcess.argon2CFFI(options)),
            ]
        return try sizes.map { try comparison($0, processes).measureWhatIsThere() }
    }

    private static func comparison(_ size: Size, _ processes: [(String, CoProcess)]) throws -> Comparison {
        let (memoryKiB, passes) = (size.memoryMiB * 1024, size.passes)
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(memoryKiB), passes: passes))
        )
        guard try context.verify("correct horse", against: context.hash("correct horse")).isMatch else {
            throw Failure(description: "a password does not match its hash")
        }
        func contender(_ name: String, _ body: @escaping (UInt32, UInt32) -> Int32) -> Contender {
            Contender(name: name) { try clocked { body(UInt32(memoryKiB), UInt32(passes)) } }
        }
        let id = "argon2id-\(size.memoryMiB)m"
        return Comparison(
            id: id,
            title: "Argon2id of \(size.memoryMiB) MiB, passes: \(passes), 1 lane",
            contenders: [
                Contender(name: ours) {
                    try clocked { try context.hash("correct horse battery staple").isEmpty ? -1 : 0 }
                },
                contender(sodium, baseline_argon2id_sodium),
                contender(sodiumAgain, baseline_argon2id_sodium),
                contender(fresh, baseline_argon2id_reference_fresh),
                contender(kept, baseline_argon2id_reference),
            ]
                + processes.map { name, process in
                    Contender(name: name) { try process.hash(memoryKiB: memoryKiB, passes: passes) }
                },
            claims: [
                .time("\(id)-sodium", ours, sodium, atMost: size.bound),
                .time("\(id)-avx2", name(.avx2), sodium, atMost: 1 / 1.25),
                .time("\(id)-portable", name(.portable), kept, atMost: 1 / 0.8),
                .time("\(id)-small-pages", small, sodium, atMost: nil),
                .time("\(id)-cffi", ours, cffi, atMost: 0.6),
                .time("\(id)-argon2", ours, fresh, atMost: 0.6),
                .time("\(id)-argon2-kept", ours, kept, atMost: 0.6),
                // The noise of a ratio whose two sides are the same code.
                .time("\(id)-noise", sodiumAgain, sodium, atMost: nil),
            ],
            rounds: size.rounds
        )
    }
}
