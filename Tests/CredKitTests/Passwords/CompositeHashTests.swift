// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

/// Digests of digests, as old forums and shops have them.
@Suite struct CompositeHashTests {
    typealias Composite = PasswordHash.LegacyHexAlgorithm.Composite

    struct Example: Sendable {
        let mode: Int
        let composite: Composite
        let digits: String
        let salt: String
    }

    /// The example hashes of hashcat, in src/modules/module_NNNNN.c of hashcat/hashcat. Their password is `hashcat`.
    static let examples = [
        Example(mode: 2611, composite: .vBulletin, digits: "28f9975808ae2bdc5847b1cda26033ea", salt: "308"),
        Example(mode: 2811, composite: .myBB, digits: "022f7e02b3314f7d0968f73c00ba759f", salt: "67588"),
        Example(mode: 2811, composite: .ipBoard, digits: "022f7e02b3314f7d0968f73c00ba759f", salt: "67588"),
        Example(
            mode: 121,
            composite: .smf,
            digits: "d27c0a627a45db487af161fcc3a4005d88eb8a1f",
            salt: "25551135"
        ),
        Example(
            mode: 8400,
            composite: .woltLab,
            digits: "7f8d1951fe48ae3266980c2979c141f60e4415e5",
            salt: "5037864764153886517871426607441768004150"
        ),
        Example(
            mode: 13900,
            composite: .openCart,
            digits: "058c1c3773340c8563421e2b17e60eb7c916787e",
            salt: "827500576"
        ),
    ]

    private static func context() throws -> PasswordContext {
        try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(64), passes: 1))
        )
    }

    @Test(arguments: CompositeHashTests.examples)
    func examplesOfHashcatVerifyPlainAndLayered(_ example: Example) throws {
        let hash = try PasswordHash(
            legacyHex: example.digits.uppercased(),
            algorithm: .composite(example.composite, salt: Array(example.salt.utf8))
        )
        #expect(hash.description.hasPrefix("$hex-\(example.composite.rawValue)$salt="))
        #expect(try PasswordHash(hash.description) == hash)
        let context = try Self.context()
        let layered = try context.layer(over: hash)
        #expect(try PasswordHash(layered).description == layered)
        for text in [hash.description, layered] {
            #expect(try context.verify("hashcat", against: text).isMatch, "\(example.mode)")
            #expect(try context.verify("Hashcat", against: text) == .mismatch, "\(example.mode)")
        }
    }

    @Test func namesOfUsersAreLowercasedAsByPHP() throws {
        // php -r 'echo sha1(strtolower("Zhang-ÄÖ") . "secret");' with PHP 8, which leaves bytes beyond ASCII as they are.
        let digits = "2a5ec11c2d59d82f5f60f872adf6e5f231c70b4c"
        let names = ["Zhang-ÄÖ", "ZHANG-ÄÖ", "zhang-ÄÖ"].map { Array($0.utf8) }
        let texts = try names.map { name in
            try PasswordHash(legacyHex: digits, algorithm: .composite(.smf, salt: name)).description
        }
        #expect(Set(texts).count == 1)
        #expect(try Self.context().verify("secret", against: texts[0]).isMatch)
        let other = try PasswordHash(
            legacyHex: digits,
            algorithm: .composite(.smf, salt: Array("zhang-äö".utf8))
        )
        #expect(try Self.context().verify("secret", against: other) == .mismatch)
        // A name in uppercase is no text of this form: it would have two texts.
        let salt = Base64.standard.unpadded.encode("Zhang".utf8)
        #expect(throws: PasswordError.malformed) { try PasswordHash("$hex-smf$salt=\(salt)$\(digits)") }
    }

    @Test(arguments: [
        "$hex-vbulletin$", "$hex-vbulletin$$28f9975808ae2bdc5847b1cda26033ea",
        "$hex-vbulletin$salt=$28f9975808ae2bdc5847b1cda26033ea",
        "$hex-vbulletin$salt=MzA4=$28f9975808ae2bdc5847b1cda26033ea",
        "$hex-vbulletin$salt=MzA$28f9975808ae2bdc5847b1cda26033ea$",
        "$hex-vbulletin$rounds=2,salt=MzA4$28f9975808ae2bdc5847b1cda26033ea",
        "$hex-vbulletin$salt=MzA4$28F9975808AE2BDC5847B1CDA26033EA",
        "$hex-vbulletin$salt=MzA4$28f9975808ae2bdc5847b1cda26033e",
        "$hex-wbb3$salt=MzA4$28f9975808ae2bdc5847b1cda26033ea",
        "$hex-punbb$salt=\(String(repeating: "AAAA", count: 86))$058c1c3773340c8563421e2b17e60eb7c916787e",
    ])
    func malformedTextsAreErrors(_ text: String) {
        #expect(throws: PasswordError.malformed) { try PasswordHash(text) }
    }

    /// PHP itself computes the digests of random passwords and salts: 20 of each form, 1,000 with `CREDKIT_DEEP`.
    @Test func agreesWithPHP() throws {
        let program = #"""
            // Invision Community 4 reads passwords of IP.Board 3 by this table, in this order.
            $table = [
                '&' => '&amp;', '<!--' => '&#60;&#33;--', '-->' => '--&#62;', '<script' => '&#60;script', '>' => '&gt;',
                '<' => '&lt;', '"' => '&quot;', "\n" => '<br />', '$' => '&#036;', '!' => '&#33;', "'" => '&#39;',
                '\\' => '&#092;',
            ];
            $pieces = [...array_keys($table), '-', '--', '#', ';', '<SCRIPT', '<Scr', 'ipt', 'é', '€', 'a', ' ', "\0"];
            for ($i = 0; $i < (int) $argv[1]; $i++) {
                $p = random_bytes(random_int(1, 40));
                $n = random_int(0, 40);
                $s = $n > 0 ? random_bytes($n) : '';
                foreach ([
                    'vbulletin' => md5(md5($p) . $s),
                    'mybb' => md5(md5($s) . md5($p)),
                    'smf' => sha1(strtolower($s) . $p),
                    'wbb3' => sha1($s . sha1($s . sha1($p))),
                    'punbb' => sha1($s . sha1($p)),
                ] as $name => $digest) {
                    echo $name, ' ', bin2hex($p), ' ', bin2hex($s), '.', ' ', $digest, "\n";
                }
                for ($h = '', $n = random_int(1, 12); $n > 0; $n--) { $h .= $pieces[array_rand($pieces)]; }
                $t = $h;
                foreach ($table as $from => $to) { $t = str_ireplace($from, $to, $t); }
                $u = htmlspecialchars($h, ENT_COMPAT, 'UTF-8');
                echo 'ipb ', bin2hex($h), ' ', bin2hex($s), '. ', md5(md5($s) . md5($t)), "\n";
                echo 'opencart ', bin2hex($h), ' ', bin2hex($s), '. ', sha1($s . sha1($s . sha1($u))), "\n";
            }
            """#
        let count = TestForm.isDeep ? 1000 : 20
        let output = try Program.succeed(["php", "-n", "-r", program, "--", "\(count)"]).text
        let lines = output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.count == count * Composite.allCases.count)
        let context = PasswordContext()
        for line in lines {
            let composite = try #require(Composite(rawValue: String(line[0])))
            let (password, salt) = (try Hex.decode(line[1]), try Hex.decode(line[2].dropLast()))
            let hash = try PasswordHash(
                legacyHex: String(line[3]),
                algorithm: .composite(composite, salt: salt)
            )
            #expect(try context.matches(password, hash), "\(line)")
            #expect(try !context.matches(password + [0x61], hash), "\(line)")
        }
    }
}
