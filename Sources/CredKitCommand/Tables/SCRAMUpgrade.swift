// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// Makes SCRAM verifiers of the password-equivalents of timestamped logins, without the passwords.
struct SCRAMUpgrade: UpgradeTarget {
    let function: SCRAM.HashFunction
    let iterations: SCRAM.Iterations
    /// The form of the new verifiers' text.
    let form: SCRAM.Verifier.Form
    /// Whether the password-equivalents stay in the table, for old clients.
    let keepsEquivalents: Bool
    let limits: PasswordLimits

    var summary: String {
        "\(function == .sha512 ? "scram-sha-512" : "scram-sha-256"),\(iterations.count)"
            + (keepsEquivalents ? ",keep-equivalent" : "")
    }

    static let digitCount = 32

    let rehashNote = "kept"

    var groupSize: Int { SCRAM.Verifier.countAtOnce(function) }

    /// Some half a second at most, or a few verifiers: more would delay a signal, fewer would let workers wait for each other
    /// more often. Whole groups take twice as many iterations with the slowest kernels.
    var batchSize: Int {
        guard groupSize > 1 else { return max(4, 2_000_000 / iterations.count) }
        return max(1, 4_000_000 / iterations.count / groupSize) * groupSize
    }

    func step(for content: [UInt8], read: () throws -> PasswordHash) throws -> UpgradeStep {
        if let equivalent = Self.equivalent(content) {
            return .replace(NewVerifier(equivalent: equivalent, digits: content, target: self))
        }
        // Shorter texts can be hashes of DES.
        guard content.count < 20 || !content.allSatisfy(Self.isHexadecimal) else {
            return Self.malformed(
                "a password-equivalent has 32 hexadecimal digits, and this hash has \(content.count)"
            )
        }
        if let rest = Self.verifier(besideEquivalent: content) { return step(besideEquivalent: rest) }
        let hash = try read()
        guard let reason = reason(hash, content) else { return .keep(.current) }
        return .rehash(UpgradeRemark(kind: hash.scheme.name, reason: reason))
    }

    /// Returns what is to be done with a verifier beside a password-equivalent.
    private func step(besideEquivalent rest: [UInt8]) -> UpgradeStep {
        do throws(SCRAM.Error) {
            let record = try SCRAM.Record(String(decoding: rest, as: UTF8.self))
            guard record.keyID == SCRAM.Record.timestampedKeyID else {
                return Self.malformed("the SCRAM verifier is not one of the password-equivalent beside it")
            }
            return keepsEquivalents ? .keep(.current) : .replace(Removal(verifier: rest))
        } catch {
            return Self.malformed("\(error)")
        }
    }

    private static func malformed(_ reason: String) -> UpgradeStep {
        .problem(UpgradeRemark(kind: "malformed", reason: reason))
    }

    /// Returns why a hash stays weak up to the next login; `nil` if it is a verifier with as many iterations as new ones, or of
    /// an account without a password.
    private func reason(_ hash: PasswordHash, _ content: [UInt8]) -> String? {
        guard hash.scheme != .unusable else { return nil }
        guard !hash.isSCRAM else {
            let record = try? SCRAM.Record(String(decoding: content, as: UTF8.self))
            guard let count = record?.verifier.iterations, count < iterations.count else { return nil }
            return "the SCRAM verifier has \(count) iterations, and new ones have \(iterations.count)"
        }
        if [.pbkdf2SHA256, .pbkdf2SHA512].contains(hash.scheme) {
            return
                "its digest could become a SCRAM verifier, but each old copy of the table would log in with it; only a login "
                + "that shows the password can make a safe one"
        }
        return
            "only a login that shows the password can make a SCRAM verifier of a hash of the scheme \(hash.scheme)"
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    private static func equivalent(_ content: [UInt8]) -> MessageDigest<16>? {
        guard content.count == digitCount else { return nil }
        return MessageDigest<16>(hex: String(decoding: content, as: UTF8.self))
    }

    /// Returns what follows a password-equivalent and a plus sign; `nil` for any other content.
    private static func verifier(besideEquivalent content: [UInt8]) -> [UInt8]? {
        guard content.count > digitCount, content[digitCount] == UInt8(ascii: "+"),
            equivalent(Array(content[..<digitCount])) != nil
        else { return nil }
        return Array(content[(digitCount + 1)...])
    }
}
