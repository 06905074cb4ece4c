// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The steps of SASLprep ([RFC 4013](https://www.rfc-editor.org/rfc/rfc4013)), a profile of stringprep
/// ([RFC 3454](https://www.rfc-editor.org/rfc/rfc3454)) over Unicode 3.2.
enum SASLprep {
    /// Why a text is not allowed.
    enum Violation {
        case empty, unassigned, prohibited, direction

        /// The reason for people, which does not contain the text.
        var reason: String {
            switch self {
            case .empty: "it is empty, or contains only characters that are removed"
            case .unassigned: "it contains a character that Unicode 3.2 does not have, such as an emoji"
            case .prohibited: "it contains a control, a private character or another one that is prohibited"
            case .direction:
                "it has a right-to-left character, and does not begin and end with one, or has a left-to-right one too"
            }
        }
    }

    /// The table of RFC 3454 that a character is in. `script/unicode-tables` has the numbers.
    private enum CharacterClass: UInt64 {
        case other
        /// C.1.2, which becomes a space. U+200B is also in B.1; RFC 4013 §2.1 names this table first, and PostgreSQL and
        /// GNU libidn do the same.
        case space
        /// B.1, which is removed.
        case nothing
        /// C.2.1, C.2.2 and C.3 … C.9.
        case prohibited
        /// A.1.
        case unassigned
        /// D.1.
        case rightToLeft
        /// D.2.
        case leftToRight
    }

    private static let classes = PackedTable(PreparationTables.classes, width: 4)
    private static let decompositions = PackedTable(PreparationTables.decompositions, width: 6)
    private static let results = PackedTable(PreparationTables.results, width: 4)

    private static func characterClass(of scalar: Unicode.Scalar) -> CharacterClass {
        let run = classes.last(notAbove: UInt64(scalar.value) << 3 | 7) ?? 0
        return CharacterClass(rawValue: run & 7) ?? .prohibited
    }

    /// Step 1: spaces of all scripts become U+0020, and characters that have no meaning of their own are removed.
    static func mapped(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.compactMap { scalar in
            switch characterClass(of: scalar) {
            case .space: " "
            case .nothing: nil
            default: scalar
            }
        }
    }

    /// Step 2: returns normalization form KC of assigned characters. `corrected` says whether to decompose five of them as
    /// Unicode 4.0 and later do (Corrigendum #4).
    ///
    /// The standard library has only form C, of a later version of Unicode. With characters of Unicode 3.2 the two forms
    /// differ only in the table: compositions and the order of marks never change.
    static func normalized(_ scalars: [Unicode.Scalar], corrected: Bool) -> [Unicode.Scalar] {
        var decomposed = String.UnicodeScalarView()
        for scalar in scalars {
            if !scalar.isASCII, !(corrected && PreparationTables.corrected.contains(scalar.value)),
                let entry = decompositions.last(notAbove: UInt64(scalar.value) << 15 | 0x7FFF),
                entry >> 15 == scalar.value
            {
                append(resultAt: Int(entry & 0x7FFF), to: &decomposed)
            } else {
                decomposed.append(scalar)
            }
        }
        return Array(NormalizationFormC.normalized(decomposed))
    }

    private static func append(resultAt start: Int, to text: inout String.UnicodeScalarView) {
        for index in start..<results.count {
            let entry = results[index]
            if let scalar = Unicode.Scalar(UInt32(entry >> 1)) { text.append(scalar) }
            if entry & 1 == 1 { return }
        }
    }

    /// Steps 3 and 4: returns why a text is not allowed as a stored string, or `nil` if it is allowed.
    static func violation(in text: [Unicode.Scalar]) -> Violation? {
        let classes = text.map(characterClass)
        guard let first = classes.first, let last = classes.last else { return .empty }
        if classes.contains(.unassigned) { return .unassigned }
        if classes.contains(.prohibited) || classes.contains(.space) { return .prohibited }
        // RFC 3454 §6: what the middle of a text with both directions looks like depends on the program that shows it.
        guard classes.contains(.rightToLeft) else { return nil }
        return first == .rightToLeft && last == .rightToLeft && !classes.contains(.leftToRight)
            ? nil : .direction
    }
}

/// Numbers of equal width in a string literal: six bits a character, the highest first.
///
/// A literal is constant memory of the program, and the compiler does not look at its elements one by one, as it does for
/// an array of thousands of numbers.
struct PackedTable: Sendable {
    private let text: String
    private let width: Int

    /// Creates a table whose numbers have `width` characters each.
    init(_ text: String, width: Int) {
        self.text = text
        self.width = width
    }

    var count: Int { text.utf8.count / width }

    subscript(index: Int) -> UInt64 {
        let characters = text.utf8.span
        var value: UInt64 = 0
        for position in index * width..<(index + 1) * width {
            value = value << 6 | UInt64(characters[position] &- 0x3F)
        }
        return value
    }

    /// Returns the last number that is not above another one. The table is sorted.
    func last(notAbove limit: UInt64) -> UInt64? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= limit { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self[low - 1] : nil
    }
}
