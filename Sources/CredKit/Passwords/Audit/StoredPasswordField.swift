// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The hash field of an account in a table: with the marks of a locked account, which ``LockMarks`` lists, or without a
/// hash.
package struct StoredPasswordField: Sendable {
    /// How many bytes before the hash lock the account.
    package let lockByteCount: Int
    /// Why there is no hash; `nil` if there may be one.
    package let absence: PasswordTableAudit.Absence?
    /// Whether the hash is `*` and 40 uppercase digits: a hash of MySQL, or the bare digest of a locked account.
    private let beginsWithAsterisk: Bool

    package init(_ field: Span<UInt8>) {
        // Most fields: they cost no more than this.
        guard field.count > 0, LockMarks.areBegun(by: field[0]) else {
            lockByteCount = 0
            beginsWithAsterisk = false
            absence = Self.canBeAbsent(field) ? Self.absence(unmarked: field) : nil
            return
        }
        var marks = 0
        var hasAsterisk = false
        var isInPlaceOfHash = LockMarks.isInPlaceOfHash(field, from: 0) || LockMarks.isOfDjango(field)
        while !isInPlaceOfHash, case let count = LockMarks.byteCount(in: field, at: marks), count > 0 {
            hasAsterisk = count == 1 && field[marks] == UInt8(ascii: "*")
            marks += count
            isInPlaceOfHash = LockMarks.isInPlaceOfHash(field, from: marks)
        }
        let text = field.extracting(marks...)
        beginsWithAsterisk = hasAsterisk && text.count == 40 && BareDigits.areUppercase(text)
        // MySQL's hashes begin with an asterisk themselves, damaged ones, too.
        let isOfMySQL = hasAsterisk && BareDigits.areOfMySQL(text)
        lockByteCount = isOfMySQL ? marks - 1 : marks
        let hasNoHash = isInPlaceOfHash || LockMarks.isNote(text) || Self.isPrefixAlone(text)
        absence = !isOfMySQL && hasNoHash ? .locked : nil
    }

    /// Returns whether a field without marks is as long as those that have no hash, which few hashes are.
    private static func canBeAbsent(_ field: Span<UInt8>) -> Bool {
        field.count < 10 || field.count == 32 && "XN".utf8.contains(field[0])
    }

    private static func absence(unmarked field: Span<UInt8>) -> PasswordTableAudit.Absence? {
        if field.count == 0 { return .empty }
        if field.count == 1, field[0] == UInt8(ascii: "x") { return .shadowed }
        return LockMarks.isInPlaceOfHash(field, from: 0) || isCryptAlone(field) ? .locked : nil
    }

    /// Returns whether the field can be a hash of MySQL as well as a locked account's digest, in a table whose bare
    /// digests have this number of digits.
    package func isAmbiguous(bareDigitCount: Int?) -> Bool { beginsWithAsterisk && bareDigitCount == 40 }
}

/// Hexadecimal digits without the name of a scheme.
enum BareDigits {
    /// Returns whether a text has the form of a digest in hexadecimal digits, which several algorithms can have made.
    static func areDigest(_ text: Span<UInt8>) -> Bool {
        switch text.count {
        case 32, 40, 64, 96, 128: areHexadecimal(text)
        default: false
        }
    }

    /// Returns whether a text is such a digest with a colon and a salt behind it, which does not name its algorithm either.
    static func areSaltedDigest(_ text: Span<UInt8>) -> Bool {
        guard text.count > 32, let colon = text.indices.first(where: { text[$0] == UInt8(ascii: ":") }) else {
            return false
        }
        return areDigest(text.extracting(..<colon))
    }

    /// Returns whether digits after an asterisk are a hash of MySQL, possibly a damaged one, rather than another digest of
    /// a locked account.
    static func areOfMySQL(_ text: Span<UInt8>) -> Bool {
        areDigitsOfMySQL(text) && (text.count == 40 ? areUppercase(text) : !areDigest(text))
    }

    /// Returns whether all of a text are digits, and as many as a damaged hash of MySQL may have.
    static func areDigitsOfMySQL(_ text: Span<UInt8>) -> Bool { text.count >= 30 && areHexadecimal(text) }

    fileprivate static func areUppercase(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case 48...57, 65...70: continue
            default: return false
            }
        }
        return true
    }

    private static func areHexadecimal(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case 48...57, 65...70, 97...102: continue
            default: return false
            }
        }
        return true
    }
}
