// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Finds the word that another one was probably meant to be.
enum NearestWord {
    /// Returns the nearest of some words; `nil` if none resembles the word.
    static func to(_ word: String, among words: [String]) -> String? {
        guard word.utf8.count <= 32 else { return nil }
        let nearest = words.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        return nearest.flatMap { name, steps in steps <= max(1, name.utf8.count / 3) ? name : nil }
    }

    /// The end of a message about a word that is none of some others: which there are, and which one resembles it.
    static func advice(_ word: String, among words: [String]) -> String {
        let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return list + (to(word, among: words).map { "; did you mean '\($0)'?" } ?? ".")
    }

    /// Returns the number of characters to insert, delete or replace to get from one word to another.
    static func distance(_ word: String, _ other: String) -> Int {
        let (word, other) = (Array(word.utf8), Array(other.utf8))
        var row = Array(0...other.count)
        for (index, byte) in word.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (byte == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
