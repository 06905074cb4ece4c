// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// Tells the names of columns from the values of an account, which no message may show.
enum ColumnName {
    /// The maximum length of a name in bytes: that of MySQL, in which a character may take four bytes.
    private static let maximumByteCount = 256
    private static let maximumListCount = 10

    /// Returns the fields of a record if all of them read as names; `nil` if one does not, or all are empty.
    static func all(of record: TableRecord) -> [[UInt8]]? {
        let fields = (0..<record.fieldCount).compactMap { record.field($0) }
        // The column of row numbers, which some programs add, has no name.
        guard fields.contains(where: { !$0.isEmpty }), fields.allSatisfy({ $0.isEmpty || isName($0) }) else {
            return nil
        }
        return fields
    }

    /// Returns names for a message.
    static func list(_ names: [[UInt8]]) -> String {
        let shown = names.prefix(maximumListCount).map { ShellQuoting.quote($0) }.joined(separator: ", ")
        return shown + (names.count > maximumListCount ? " and \(names.count - maximumListCount) more" : "")
    }

    /// Returns whether a text is a name such as `password` or `pw_hash`: letters, `_` and at most one run of digits, which
    /// does not begin it. A piece of a hash or a token has more of them.
    static func isIdentifier(_ text: [UInt8]) -> Bool {
        guard isName(text), text.allSatisfy({ isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }) else {
            return false
        }
        return text.split(whereSeparator: { !isDigit($0) }).count <= 1
    }

    /// Returns whether a text is a hash, or begins like one, perhaps behind marks of a locked account.
    static func mayBeHash(_ text: [UInt8]) -> Bool {
        let unmarked = Array(text.drop { $0 == UInt8(ascii: "!") || $0 == UInt8(ascii: "*") })
        return isKnown(text) || isKnown(unmarked)
    }

    private static func isKnown(_ text: [UInt8]) -> Bool {
        if PasswordTableAudit.isBareHex(text.span) { return true }
        do throws(PasswordError) {
            _ = try PasswordHash(String(decoding: text, as: UTF8.self))
            return true
        } catch {
            return error != .unrecognized
        }
    }

    private static func isName(_ text: [UInt8]) -> Bool { hasNameForm(text) && !mayBeHash(text) }

    /// Returns whether a text has the form of a name. A name of 13 letters, such as `emailVerified`, also has that of a hash
    /// of the original crypt(3).
    static func hasNameForm(_ text: [UInt8]) -> Bool {
        guard text.count <= maximumByteCount, let first = text.first,
            isLetter(first) || first == UInt8(ascii: "_")
        else { return false }
        return text.allSatisfy { isLetter($0) || isDigit($0) || " _-.,()/#".utf8.contains($0) }
    }

    /// Whether a byte is an ASCII letter, or part of a character beyond ASCII.
    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte >= 0x80
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}
