// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// Tells the names of columns from the values of an account, which no message may show.
enum ColumnName {
    /// The maximum length of a name in bytes: that of MySQL, in which a character may take four bytes.
    private static let maximumByteCount = 256
    /// The maximum length of a name that is shown, or of a column of hashes that is not declared.
    private static let maximumKnownByteCount = 30
    private static let maximumListCount = 10

    /// What names of columns of hashes contain, and, if it is short, have as a word of its own.
    private static let hashWords = [
        "pass", "pwd", "hash", "digest", "secret", "crypt", "verifier", "credential", "pw",
    ]
    /// What names of other columns of accounts contain.
    private static let accountWords = ["user", "login", "name", "mail", "account", "salt", "id", "uid"]

    /// Returns the fields of a record if all of them read as names, and one as that of a column that tables of accounts
    /// have; `nil` otherwise: the fields may be those of an account, in any form.
    static func all(of record: TableRecord) -> [[UInt8]]? {
        let fields = (0..<record.fieldCount).compactMap { record.field($0) }
        // The column of row numbers, which some programs add, has no name.
        guard fields.allSatisfy({ $0.isEmpty || isShown($0) }),
            fields.contains(where: { contains($0, hashWords) || contains($0, accountWords) })
        else { return nil }
        return fields
    }

    /// Returns whether a name is that of a column of hashes.
    static func isOfHashes(_ name: [UInt8]) -> Bool {
        name.count <= maximumKnownByteCount && contains(name, hashWords)
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
        return hasOneNumber(text)
    }

    /// Returns whether a text has no more than one run of digits.
    private static func hasOneNumber(_ text: [UInt8]) -> Bool {
        text.split(whereSeparator: { !isDigit($0) }).count <= 1
    }

    /// Returns whether a message may show a text, if its record is a header.
    private static func isShown(_ text: [UInt8]) -> Bool {
        text.count <= maximumKnownByteCount && isName(text) && hasOneNumber(text)
            && text.allSatisfy { isLetter($0) || isDigit($0) || " _-".utf8.contains($0) }
    }

    /// Returns whether a name contains one of some words: a long one anywhere, a short one as a word of its own, as in
    /// `user_id` and `userId`.
    private static func contains(_ name: [UInt8], _ known: [String]) -> Bool {
        let parts = words(of: name)
        return known.contains { word in
            let isShort = ["pw", "id", "uid"].contains(word)
            return parts.contains { part in
                if isShort { return part.elementsEqual(word.utf8) }
                return part.indices.contains { part[$0...].starts(with: word.utf8) }
            }
        }
    }

    /// Returns the words of a name, in lowercase.
    private static func words(of name: [UInt8]) -> [[UInt8]] {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        var words: [[UInt8]] = [[]]
        var isBehindSmallLetter = false
        for byte in name {
            if !isLetter(byte) || isBehindSmallLetter && capitals ~= byte { words.append([]) }
            isBehindSmallLetter = isLetter(byte) && !(capitals ~= byte)
            if isLetter(byte) { words[words.count - 1].append(capitals ~= byte ? byte | 0x20 : byte) }
        }
        return words
    }

    /// Returns whether a text is a hash, or begins like one, perhaps behind marks of a locked account.
    static func mayBeHash(_ text: [UInt8]) -> Bool { isKnown(text) || isKnown(unmarked(text)) }

    /// Returns whether a text can be a hash, or a part of one, of any scheme.
    static func canBeginHash(_ text: [UInt8]) -> Bool {
        // The original crypt(3) has the shortest hashes, of 13 characters.
        let run = unmarked(text).prefix {
            isDigit($0) || isLetter($0) && $0 < 0x80 || "./+=".utf8.contains($0)
        }
        return mayBeHash(text) || run.count >= 13 || text.contains { "${".utf8.contains($0) }
    }

    /// Returns whether a text is a hash, perhaps behind marks of a locked account.
    static func isHash(_ text: [UInt8]) -> Bool {
        let text = unmarked(text)
        return PasswordTableAudit.isBareHex(text.span)
            || (try? PasswordHash(String(decoding: text, as: UTF8.self))) != nil
    }

    private static func unmarked(_ text: [UInt8]) -> [UInt8] {
        let text = StoredPasswordField.withMarksFirst(text.span) ?? text
        return Array(text.dropFirst(StoredPasswordField(text.span).lockByteCount))
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
