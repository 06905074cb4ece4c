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

    /// Returns the number of characters to insert, delete, replace or swap with the next one to get from one word to
    /// another.
    static func distance(_ word: String, _ other: String) -> Int {
        let (word, other) = (Array(word.utf8), Array(other.utf8))
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for (index, byte) in word.enumerated() {
            var row = [index + 1]
            for (column, otherByte) in other.enumerated() {
                var steps = last[column] + (byte == otherByte ? 0 : 1)
                steps = min(steps, last[column + 1] + 1, row[column] + 1)
                if index > 0, column > 0, byte == other[column - 1], word[index - 1] == otherByte {
                    steps = min(steps, beforeLast[column - 1] + 1)
                }
                row.append(steps)
            }
            (beforeLast, last) = (last, row)
        }
        return last[other.count]
    }
}
