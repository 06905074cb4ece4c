// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

/// Seeds as people type them and as servers draw them, beside pyotp and oathtool.
struct OneTimeCodeSeedTests {
    /// Returns the code of the 59th second; `-` if the seed is refused.
    private func code(_ seed: String) throws -> String {
        let key: OneTimeCodeKey
        do throws(OneTimeCodeError) {
            key = try OneTimeCodeKey(base32: seed)
        } catch .malformedSeed {
            return "-"
        }
        return try key.code(at: UnixTime(59)).text
    }

    private struct Answer {
        let seed, pyotp, oathtool: String
    }

    private func peers(_ arguments: [String]) throws -> [Answer] {
        let program = [try TestScripts.installedPython(), TestScripts.path("one_time_code_seeds.py")]
        var answers: [Answer] = []
        for line in try Program.succeed(program + arguments).lines {
            // A seed may have a tab.
            var fields = line.components(separatedBy: "\t")
            try #require(fields.count >= 3)
            let oathtool = fields.removeLast()
            let pyotp = fields.removeLast()
            answers.append(Answer(seed: fields.joined(separator: "\t"), pyotp: pyotp, oathtool: oathtool))
        }
        return answers
    }

    /// Letters that were drawn one by one: most of them end with bits that belong to no byte.
    @Test func randomLettersHaveTheCodesOfBothPeers() throws {
        let count = TestForm.isDeep ? 5000 : 300
        let seeds = try peers(["\(count)", "115"])
        #expect(seeds.count == count)
        for answer in seeds {
            #expect(answer.pyotp == answer.oathtool, "\(answer.seed)")
            #expect(try code(answer.seed) == answer.pyotp, "\(answer.seed)")
        }
        // Those that end with 1, 3 or 6 characters of a group are refused by all.
        let refused = seeds.count { $0.pyotp == "-" }
        #expect(refused > count / 4 && refused < count / 2)
    }

    /// What people type, and what both peers compute of it without what authenticator apps ignore.
    private static let typed = [
        "S46SQCPPTCNPROMHWYBDCTBZXV", "JBSW-Y3DP-EHPK-3PXP-JBSW-Y3DP-EHPK-3PXP",
        "jbsw y3dp ehpk 3pxp jbsw y3dp ehpk 3pxp", " JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP ",
        "JBSWY3DP\tEHPK3PXPJBSWY3DPEHPK3PXP\r", "-JBSWY3DPEHPK--3PXPJBSWY3DPEHPK3PXP-",
        "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PX=", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PX",
        "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PX==", "jbswy3dpehpk3pxpjbswy3dpeh======",
        "JBSWY3DPEHPK3PXPJBSWY3DPEH=", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP========",
        "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3", "JBSWY3DPEHPK3PXPJBSWY3DPEHPZ", "jBsWy3Dp-EhPk 3pXp-JbSwY3dP",
        // Both refuse these: one character too few or too many, and characters outside the alphabet. Zeros, ones and eights
        // are typing errors for some apps; here they would make Base32 of a hexadecimal seed.
        "JBSWY3DPEHPK3PXPJBSWY3DPE", "JBSWY3DPEHPK3PXPJBSWY3DPEHP", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3P",
        "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PX1", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PX0",
        "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PX8", "JBSW_Y3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        "JBSW.Y3DPEHPK3PXPJBSWY3DPEHPK3PXP", "JBSWY3DP=EHPK3PXPJBSWY3DPEHPK3PXP",
        "3132333435363738393031323334353637383930", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXÉ",
    ]

    @Test func typedSeedsHaveTheCodesOfBothPeers() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.typed.map { $0 + "\n" }.joined(), "seeds")
        let seeds = try withExtendedLifetime(folder) { try peers([path]) }
        #expect(seeds.map { $0.seed } == Self.typed)
        for answer in seeds {
            #expect(answer.pyotp == answer.oathtool, "\(answer.seed)")
            #expect(try code(answer.seed) == answer.pyotp, "\(answer.seed)")
        }
    }

    /// Base32 for data accepts none of this.
    @Test(arguments: ["MZXW7", "MZ-XW6", "MZ\tXW6", "MZXW6=", "MZXW6===="])
    func dataStaysStrict(text: String) throws {
        #expect(throws: Base32.DecodingError.self) {
            try Base32.standard.decode(text, strictness: .lenient)
        }
        #expect(throws: Base32.DecodingError.self) { try Base32.standard.unpadded.decode(text) }
        #expect(try OneTimeCodeKey(base32: text).seed.count == 3)
    }

    @Test func writtenSeedsHaveNoFurtherBits() throws {
        let key = try OneTimeCodeKey(base32: "mzxw-7")
        let text = try key.base32Seed().withSecretBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        #expect(text == "MZXW6")
    }
}
