// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// Compares new bcrypt hashes through `PasswordContext`, which libxcrypt computes, with PyPI's bcrypt, and several at once
/// with one.
enum BcryptComparison {
    private static let ours = "PasswordContext.hash"
    private static let xcrypt = "libxcrypt, crypt_rn in C"
    private static let python = "bcrypt in python"
    private static let cost = 12

    static func measure(_ options: Options) throws -> Outcome {
        let context = try PasswordContext(policy: PasswordPolicy(preferred: .bcrypt(cost: cost)))
        let process = try CoProcess.argon2CFFI(options)
        let lanes = baseline_bcrypt_best_lanes()
        var contenders = [
            Contender(name: ours) {
                try clocked { try context.hash("correct horse battery staple").isEmpty ? -1 : 0 }
            },
            Contender(name: xcrypt) { try clocked { baseline_crypt("$2b$\(cost)$abcdefghijklmnopqrstuu") } },
            Contender(name: python) { try process.bcrypt(cost: cost) },
        ]
        var claims: [Claim] = [
            .speed("bcrypt-xcrypt", ours, xcrypt, atLeast: nil),
            .speed("bcrypt-python", ours, python, atLeast: 1.1),
        ]
        if lanes > 1 {
            let name = "\(lanes) lanes at once, each"
            contenders.append(
                Contender(name: name) {
                    var sample = try clocked { baseline_bcrypt_lanes(lanes, UInt32(cost)) }
                    sample.seconds /= Double(lanes)
                    return sample
                }
            )
            claims.append(.speed("bcrypt-lanes", name, ours, atLeast: 1.8))
        }
        return try Comparison(
            id: "bcrypt",
            title: "bcrypt of cost \(cost)",
            contenders: contenders,
            claims: claims,
            rounds: 9
        ).measure()
    }
}
