// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import XCTest

final class PasswordRequirementsTests: XCTestCase {
    private let common = PasswordBlocklist(
        words: ["correct horse battery", "pa\u{DF}wort pa\u{DF}wort"],
        name: "common"
    )

    private func reasons(
        _ password: String,
        _ requirements: PasswordRequirements = PasswordRequirements(),
        normalization: PasswordNormalization = .none,
        user: String = "",
        service: String = ""
    ) throws -> [String] {
        try requirements.check(
            password,
            normalization: normalization,
            about: [.userName(user), .serviceName(service)]
        ).map(\.reason.rawValue)
    }

    func testLengthsAreCountedInCharacters() throws {
        XCTAssertEqual(try reasons("abcdefghijklmn"), ["tooShort"])
        XCTAssertEqual(try reasons("abcdefghijklmno"), [])
        XCTAssertEqual(try reasons(String(repeating: "ü", count: 14)), ["tooShort"])
        XCTAssertEqual(try reasons(String(repeating: "🔑", count: 15)), [])
        let second = PasswordRequirements(minimumLength: 8)
        XCTAssertEqual(try reasons("abcdefg", second), ["tooShort"])
        XCTAssertEqual(try reasons("abcdefgh", second), [])
        XCTAssertEqual(try reasons("", second), ["tooShort"])
        // The guideline allows no lower limits.
        XCTAssertEqual(try reasons("abcdefg", PasswordRequirements(minimumLength: 1)), ["tooShort"])
        let short = PasswordRequirements(maximumLength: 10)
        XCTAssertEqual(try reasons(String(repeating: "ü", count: 64), short), [])
        XCTAssertEqual(try reasons(String(repeating: "a", count: 65), short), ["tooLong"])
        XCTAssertEqual(try reasons(String(repeating: "a", count: 10_000_000)), ["tooLong"])
    }

    func testTheNormalFormIsCounted() throws {
        let decomposed = String(repeating: "u\u{308}", count: 8)
        XCTAssertEqual(try reasons(decomposed), [])
        XCTAssertEqual(try reasons(decomposed, normalization: .rfc8265), ["tooShort"])
        XCTAssertEqual(try reasons("a\u{1}bcdefghijklmnopq", normalization: .rfc8265), ["notAllowed"])
        XCTAssertEqual(try reasons("a\u{1}bcdefghijklmnopq"), [])
    }

    func testThereAreNoRulesAboutKindsOfCharacters() throws {
        for password in ["aaaaaaaaaaaaaaa", "111111111111111", "               ", "ààààààààààààààà"] {
            XCTAssertEqual(try reasons(password), [], password)
        }
    }

    func testListsHaveWholePasswordsInBothForms() throws {
        let requirements = PasswordRequirements(blocklists: [common])
        XCTAssertEqual(try reasons("correct horse battery", requirements), ["onBlocklist"])
        XCTAssertEqual(try reasons("correct horse battery staple", requirements), [])
        // An ideographic space becomes a space.
        XCTAssertEqual(try reasons("correct\u{3000}horse battery", requirements), [])
        XCTAssertEqual(
            try reasons("correct\u{3000}horse battery", requirements, normalization: .rfc8265),
            ["onBlocklist"]
        )
        let rejection = try PasswordPolicy.recommended.rejects("correct horse battery", by: requirements)
        XCTAssertEqual(rejection?.reason, .onBlocklist)
        XCTAssertEqual(rejection?.blocklist, "common")
        XCTAssertNil(try PasswordPolicy.recommended.rejects("correct horse battery staple", by: requirements))
        var policy = PasswordPolicy.recommended
        policy.normalization = .rfc8265
        XCTAssertEqual(
            try policy.rejects("correct\u{3000}horse battery", by: requirements)?.reason,
            .onBlocklist
        )
    }

    func testListsAreAskedWhateverElseIsWrong() throws {
        let (long, longest) = (String(repeating: "b", count: 2000), String(repeating: "b", count: 20_000))
        let list = PasswordBlocklist(words: ["short", "a\u{1}b", long, longest], name: "odd")
        let requirements = PasswordRequirements(blocklists: [list])
        for normalization in [PasswordNormalization.none, .rfc8265] {
            XCTAssertEqual(
                try reasons("short", requirements, normalization: normalization),
                ["tooShort", "onBlocklist"]
            )
            for password in [long, longest] {
                XCTAssertEqual(
                    try reasons(password, requirements, normalization: normalization),
                    ["tooLong", "onBlocklist"]
                )
            }
        }
        XCTAssertEqual(
            try reasons("a\u{1}b", requirements, normalization: .rfc8265),
            ["notAllowed", "onBlocklist"]
        )
    }

    func testPasswordsThatAreMadeOfNamesAreRejected() throws {
        for password in [
            "alicealicealice", "Alice2024!!Alice", "ecila ecila ecila", "4L1CE_4l1c3_@lice",
            "alice.smith@2024",
            "123456alice.smith", "smith.smith.smith",
        ] {
            XCTAssertEqual(
                try reasons(password, user: "alice.smith@example.com"),
                ["containsUserName"],
                password
            )
        }
        for password in ["alice likes horses", "correct horse battery", "al1cia al1cia al1cia"] {
            XCTAssertEqual(try reasons(password, user: "alice.smith@example.com"), [], password)
        }
        XCTAssertEqual(try reasons("example.com/2024", service: "Example.com"), ["containsServiceName"])
        XCTAssertEqual(try reasons("ÖLBERG ölberg ölberg", user: "Ölberg"), ["containsUserName"])
        // Short and strange names match nothing by themselves.
        for user in ["", "a", "al", "...", "\u{0}", "💥"] {
            XCTAssertEqual(try reasons("abcdefghijklmnop", user: user), [], user)
        }
    }

    /// Systems differ in how they compose what is typed: names and passwords come from different ones.
    func testNamesAreComparedInBothForms() throws {
        let (composed, decomposed) = ("\u{D6}lb\u{E9}rg", "O\u{308}lbe\u{301}rg")
        for (name, other) in [(composed, decomposed), (decomposed, composed), (decomposed, decomposed)] {
            let password = "\(other.uppercased())-\(other) 1234"
            XCTAssertEqual(try reasons(password, user: name), ["containsUserName"], "\(name) \(other)")
            XCTAssertEqual(try reasons(String(password.reversed()), user: name), ["containsUserName"])
            XCTAssertEqual(
                try reasons(password, normalization: .rfc8265, user: name),
                ["containsUserName"]
            )
        }
        // A letter without a composed form stays in its word.
        XCTAssertEqual(
            try reasons("xq\u{308}y.xq\u{308}y.xq\u{308}y.2026", user: "xq\u{308}y"),
            ["containsUserName"]
        )
        XCTAssertEqual(try reasons("xqy.xqy.xqy.2026", user: "xq\u{308}y"), [])
        XCTAssertEqual(
            try reasons("Anna Berg Anna Berg", user: "Anna\u{3000}Berg"),
            ["containsUserName"]
        )
    }

    func testShortNamesAreComparedIfTheyAreRare() throws {
        let pin = "1234567"
        XCTAssertEqual(try reasons("alalalalalal\(pin)", user: "al"), [])
        XCTAssertEqual(try reasons("li li li li \(pin)", user: "li.wu"), [])
        XCTAssertEqual(try reasons("li.wuli.wu\(pin)", user: "li.wu"), ["containsUserName"])
        XCTAssertEqual(try reasons("李伟李伟李伟李伟\(pin)", user: "李伟"), ["containsUserName"])
        XCTAssertEqual(try reasons("민준민준민준민준\(pin)", user: "김 민준"), ["containsUserName"])
        XCTAssertEqual(try reasons("李李李李李李李李\(pin)", user: "李"), [])
    }

    func testLongNamesAndPasswordsTakeLittleTime() throws {
        let name = String(repeating: "a", count: 100_000)
        let requirements = PasswordRequirements(maximumLength: 4096)
        XCTAssertEqual(
            try reasons(String(repeating: "a", count: 4096), requirements, user: name),
            ["containsUserName"]
        )
        let names = (0..<1000).map { "n\($0) " }.joined()
        XCTAssertEqual(try reasons(String(repeating: "b", count: 4096), requirements, user: names), [])
    }

    func testRejectionsContainNothingOfThePassword() throws {
        let requirements = PasswordRequirements(blocklists: [common])
        for password in ["hunter2", "correct horse battery", "hunter2hunter2hunter2\u{1}"] {
            for rejection in try requirements.check(
                password,
                normalization: .rfc8265,
                about: [.userName("hunter2")]
            ) {
                var text = ""
                dump(rejection, to: &text)
                XCTAssertFalse(text.contains("hunter2") || text.contains("horse"), text)
                XCTAssertTrue(rejection.description.hasPrefix("the password "), rejection.description)
            }
        }
    }

    func testAListThatCannotAnswerIsAnError() throws {
        let folder = try TemporaryFolder()
        let ranges = try PasswordBlocklist(pwnedRangesIn: folder.path)
        XCTAssertThrowsError(try reasons("correct horse battery", PasswordRequirements(blocklists: [ranges])))
        {
            XCTAssertEqual($0 as? PasswordError, .unreadableBlocklist)
        }
    }
}
