// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitKeychain
@testable import CredKitTerminal
import Foundation

extension FuzzTarget {
    /// Feeds texts to the code that writes them as JSON, and JSON texts to the scanner, beside Foundation.
    static let jsonText = FuzzTarget("json-text") { bytes in
        guard let text = String(input: bytes) else { return }
        let quoted = JSONText.quoted(text)
        let isSafe = String(input: quoted).map(\.isTerminalSafe) ?? false
        try require(isSafe, "a quoted text is safe on a terminal")
        var scanner = JSONScanner()
        let scanned = try requireSuccess("a quoted text is read") { () throws(KeychainError) in
            try scanner.text(in: quoted.span)
        }
        try require(scanned.utf8.elementsEqual(bytes), "a quoted text is read as it was")
        try scanner.finish(in: quoted.span)
        try requireEqual(
            foundationText(quoted).map { Array($0.utf8) },
            bytes,
            "Foundation reads a quoted text"
        )

        let line = JSONLine(["key": text]).bytes
        let isSafeLine = String(input: line.dropLast()).map(\.isTerminalSafe) ?? false
        try require(isSafeLine && line.last == 10, "an object stands on one line")
        let members = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: String]
        try requireEqual(members?["key"].map { Array($0.utf8) }, bytes, "Foundation reads an object")
        try compareScanner([UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")])
    }

    /// The scanner and Foundation agree about what is a text, and what it means.
    private static func compareScanner(_ json: [UInt8]) throws {
        var scanner = JSONScanner()
        let scanned = try? scanner.text(in: json.span)
        let isWhole = (try? scanner.finish(in: json.span)) != nil
        let expected = foundationText(json)
        if let scanned, isWhole {
            try requireEqual(
                expected.map { Array($0.utf8) },
                Array(scanned.utf8),
                "Foundation reads the same"
            )
        } else {
            // Foundation takes a text with NULs for UTF-16.
            try require(expected == nil || json.contains(0), "what Foundation accepts is accepted")
        }
    }

    private static func foundationText(_ json: [UInt8]) -> String? {
        try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed) as? String
    }
}
