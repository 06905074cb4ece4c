// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CConstantTime
internal import CredKit

/// Base32 and one-time codes over memory that valgrind treats as undefined.
extension SecretsTest {
    func encodeBase32(_ count: Int) {
        let bytes = Memory(randomCount: count)
        bytes.makeSecret()
        let form = Base32.standard.unpadded
        let text = Memory(count: form.encodedByteCount(of: count))
        _ = bytes.withSpan { bytes in text.write { form.encode(bytes, into: &$0) } }
        if text.secretCount < text.count { complain("the characters do not depend on the bytes") }
        text.makePublic()
        bytes.makePublic()
        if (try? form.decode(text.bytes)) != bytes.bytes { complain("the characters are wrong") }
    }

    func decodeBase32(_ count: Int) throws {
        let expected = Memory(randomCount: count)
        for strictness in [Base32.Strictness.strict, .lenient] {
            let upper = Base32.standard.encode(expected.bytes)
            let text = Memory((strictness == .strict ? upper : upper.lowercased()).utf8)
            text.makeSecret(Base32.standard.unpadded.encodedByteCount(of: count))
            let bytes = Memory(
                try text.withSpan { try Base32.standard.decode($0, strictness: strictness) }
            )
            if bytes.count != count || bytes.secretCount < count {
                complain("the bytes do not depend on the characters")
            }
            bytes.makePublic()
            if bytes.bytes != expected.bytes { complain("the bytes are wrong") }
        }
    }

    func computeCodes(_ count: Int) throws {
        let seed = Memory(randomCount: count)
        for algorithm in OneTimeCodeKey.Algorithm.allCases {
            let expected = try OneTimeCodeKey(seed: SecretBytes(seed.bytes), algorithm: algorithm)
                .code(counter: 7)
            seed.makeSecret()
            let key = try OneTimeCodeKey(
                seed: seed.withSpan { seed in
                    try SecretBytes(capacity: count) { output in
                        for index in seed.indices { output.append(seed[index]) }
                    }
                },
                algorithm: algorithm
            )
            var code = key.code(counter: 7)
            seed.makePublic()
            var answer = code == expected
            withUnsafeBytes(of: &answer) { bytes in
                if ct_secret_prefix(bytes.baseAddress, 1) == 0 {
                    complain("the code does not depend on the seed")
                }
            }
            ct_make_public(&answer, 1)
            if !answer { complain("the code is wrong") }
            withUnsafeMutableBytes(of: &code) { ct_make_public($0.baseAddress, $0.count) }
        }
    }
}
