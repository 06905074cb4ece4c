// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import Foundation
import Testing

/// SHA-crypt by kernels and by libxcrypt. `script/test-kernels` compares them on more inputs.
@Suite struct SHACryptTests {
    private static let context = HashingContext(limits: .standard, legacyKeys: [:])

    private static func context(with interruption: Interruption) -> HashingContext {
        var context = Self.context
        context.argon2.interruption = interruption
        return context
    }

    /// Whether libxcrypt computes everything in this process.
    static let isReference = ProcessInfo.processInfo.environment["CREDKIT_KERNELS"] == "reference"

    /// Lengths around those from which a message has another block, and around the longest password of the kernels.
    static let lengths = [0, 1, 7, 8, 11, 12, 15, 16, 31, 32, 33, 47, 48, 63, 64, 65, 100]

    private static func digest(_ hash: SHACryptHash, _ password: [UInt8]) throws -> String {
        let digest = try hash.computeDigest(of: password.span, context)
        return String(decoding: digest.copiedBytes, as: UTF8.self)
    }

    @Test(arguments: ["5", "6"], SHACryptTests.lengths)
    func digestsEqualThoseOfLibxcrypt(variant: String, length: Int) throws {
        for (roundsText, salt) in [
            ("", "a"), ("rounds=1000$", ""), ("rounds=1000$", "saltsaltsaltsalt"), ("rounds=1001$", "rounds"),
            ("rounds=1007$", "a,b#c=d-_%"),
        ] {
            let password = SecureRandom.bytes(count: length).map { max($0, 1) }
            let text = try UnixCrypt.hash(password.span, setting: "$\(variant)$\(roundsText)\(salt)$")
            let hash = try SHACryptHash(parsing: String(decoding: text.copiedBytes, as: UTF8.self))
            #expect(try Self.digest(hash, password) == hash.tail, "\(hash.head), \(length) bytes")
        }
    }

    @Test(arguments: [SHACryptHash.Variant.sha256, .sha512], SHACryptTests.lengths)
    func libxcryptVerifiesNewHashes(variant: SHACryptHash.Variant, length: Int) throws {
        let password = SecureRandom.bytes(count: length).map { max($0, 1) }
        for rounds in [1234, 5000] {
            let parameters = SHACryptParameters(variant: variant, rounds: rounds)
            let text = try parameters.hash(password.span, Self.context)
            let peer = try UnixCrypt.hash(password.span, setting: text)
            #expect(String(decoding: peer.copiedBytes, as: UTF8.self) == text)
        }
    }

    @Test(arguments: [SHACryptHash.Variant.sha256, .sha512])
    func libxcryptReadsWhatIsParsedInTheSameWay(variant: SHACryptHash.Variant) throws {
        let rounds = [
            "", "rounds=1000$", "rounds=1001$", "rounds=999$", "rounds=0$", "rounds=01000$", "rounds=+1000$",
            "rounds= 1000$", "rounds=1000", "rounds=1000a$", "rounds=$", "rounds=1000000000$",
            "rounds=1000$rounds=1002$",
        ]
        let password = Array("correct horse".utf8)
        let zeros = String(repeating: SHACryptHash.zeroDigit, count: variant.digestCharacterCount)
        var parsedCount = 0
        for _ in 0..<300 {
            // Any printable characters, most of them valid.
            let salt = (0..<Int.random(in: 0...18)).map { _ in
                let range: ClosedRange<UInt8> = Int.random(in: 0..<20) == 0 ? 0x20...0x2F : 0x3C...0x5B
                return Character(Unicode.Scalar(UInt8.random(in: range)))
            }
            let text = "$\(variant.rawValue)$\(rounds.randomElement() ?? "")\(String(salt))$\(zeros)"
            guard let hash = try? SHACryptHash(parsing: text) else { continue }
            parsedCount += 1
            let digest = try Self.digest(hash, password)
            let peer = try UnixCrypt.hash(password.span, setting: text)
            #expect(String(decoding: peer.copiedBytes, as: UTF8.self) == hash.head + digest)
        }
        #expect(parsedCount > 20)
    }

    @Test(arguments: [SHACryptHash.Variant.sha256, .sha512])
    func kernelsComputePasswordsOfUpTo63Bytes(variant: SHACryptHash.Variant) {
        #expect(SHACryptKernels.rejectedName == nil)
        #expect((SHACryptKernels(variant, passwordByteCount: 0) == nil) == Self.isReference)
        #expect((SHACryptKernels(variant, passwordByteCount: 63) == nil) == Self.isReference)
        #expect(SHACryptKernels(variant, passwordByteCount: 64) == nil)
    }

    @Test(arguments: [SHACryptHash.Variant.sha256, .sha512])
    func passwordsOfOneLengthClassAreComputedByTheSameCode(variant: SHACryptHash.Variant) throws {
        let parameters: PasswordParameters =
            try variant == .sha256 ? .sha256Crypt(rounds: 1000) : .sha512Crypt(rounds: 1000)
        let context = try PasswordContext(policy: PasswordPolicy(preferred: parameters))
        var isByKernels: [Int: Bool] = [:]
        for length in 0...511 {
            let lengthClass = context.cost(of: nil, passwordByteCount: length).lengthClass
            let kernels = SHACryptKernels(variant, passwordByteCount: length)
            #expect(isByKernels[lengthClass, default: kernels != nil] == (kernels != nil), "\(length) bytes")
            isByKernels[lengthClass] = kernels != nil
        }
    }

    @Test(.disabled(if: SHACryptTests.isReference, "libxcrypt cannot be interrupted"))
    func raisedInterruptionEndsAComputation() throws {
        let interruption = Interruption()
        let context = Self.context(with: interruption)
        // Before the computation or during it, which would take minutes.
        Thread { interruption.raise() }.start()
        let parameters = SHACryptParameters(variant: .sha512, rounds: 999_999_999)
        let password = Array("password".utf8)
        #expect(throws: PasswordError.cancelled) {
            _ = try parameters.hash(password.span, context)
        }
    }
}
