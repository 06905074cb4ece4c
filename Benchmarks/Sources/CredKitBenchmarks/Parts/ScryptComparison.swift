// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// Compares new scrypt hashes through `PasswordContext` with the three C libraries, and several at once with one.
enum ScryptComparison {
    private static let ours = "PasswordContext.hash"
    private static let sodium = "libsodium in C"
    private static let openssl = "OpenSSL, EVP_PBE_scrypt in C"
    private static let xcrypt = "libxcrypt, crypt_rn in C"

    /// Costs, and the least speed compared with libsodium.
    private struct Size {
        let logN, parallelism: Int
        let bound: Double
        /// libxcrypt's notation of the costs.
        var setting: String?
        let rounds: Int
    }

    /// The costs of OWASP, of RFC 7914 for interactive logins, and of Django.
    private static let sizes = [
        Size(logN: 17, parallelism: 1, bound: 1.7, setting: "$7$F6..../....", rounds: 9),
        Size(logN: 14, parallelism: 1, bound: 1.5, setting: "$7$C6..../....", rounds: 31),
        Size(logN: 14, parallelism: 5, bound: 1.5, rounds: 15),
    ]

    static func measure() throws -> [Outcome] { try sizes.map { try comparison($0).measure() } }

    private static func comparison(_ size: Size) throws -> Comparison {
        let (logN, parallelism) = (UInt32(size.logN), UInt32(size.parallelism))
        let context = try PasswordContext(
            policy: PasswordPolicy(
                preferred: .scrypt(logN: size.logN, blockSize: 8, parallelism: size.parallelism)
            )
        )
        guard try context.verify("correct horse", against: context.hash("correct horse")).isMatch else {
            throw Failure(description: "a password does not match its hash")
        }
        let id = "scrypt-\(size.logN)" + (parallelism == 1 ? "" : "-p\(parallelism)")
        var contenders = [
            Contender(name: ours) {
                try clocked { try context.hash("correct horse battery staple").isEmpty ? -1 : 0 }
            },
            Contender(name: sodium) { try clocked { baseline_scrypt_sodium(logN, 8, parallelism) } },
            Contender(name: openssl) { try clocked { baseline_scrypt_openssl(logN, 8, parallelism) } },
        ]
        var claims: [Claim] = [
            .speed("\(id)-sodium", ours, sodium, atLeast: size.bound),
            .speed("\(id)-openssl", ours, openssl, atLeast: nil),
        ]
        if let setting = size.setting {
            contenders.append(
                Contender(name: xcrypt) { try clocked { baseline_crypt(setting + "abcdefghijklmnop") } }
            )
            claims.append(.speed("\(id)-xcrypt", ours, xcrypt, atLeast: nil))
        }
        let lanes = baseline_scrypt_best_lanes()
        if parallelism == 1, lanes > 1 {
            let name = "\(lanes) lanes at once, each"
            contenders.append(
                Contender(name: name) {
                    var sample = try clocked { baseline_scrypt_lanes(lanes, logN) }
                    sample.seconds /= Double(lanes)
                    return sample
                }
            )
            claims.append(.speed("\(id)-lanes", name, ours, atLeast: 1.6))
        }
        return Comparison(
            id: id,
            title: "scrypt with N = 2^\(size.logN), r = 8, p = \(parallelism)",
            contenders: contenders,
            claims: claims,
            rounds: size.rounds
        )
    }
}
