// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The lines `NAME:VALUE` of a file that the server writes. What is not changed stays as it is, byte for byte: the order, comments,
/// and ends of lines.
struct NamedLines {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let comment = UInt8(ascii: "#")

    private var lines: [ArraySlice<UInt8>]

    /// Creates the lines of a file.
    init(_ bytes: [UInt8]) {
        lines = bytes.split(separator: Self.lineFeed, omittingEmptySubsequences: false)
    }

    /// The content of the file.
    var bytes: [UInt8] { Array(lines.joined(separator: [Self.lineFeed])) }

    /// Whether a line can begin with a name, and is then found by it.
    static func canHold(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != comment else { return false }
        return name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ":") }
    }

    /// Returns the values of a name. Names are compared as bytes.
    func values(of name: String) -> [ArraySlice<UInt8>] {
        places(of: name).map { place in
            let line = lines[place].dropFirst(name.utf8.count + 1)
            return line.last == Self.carriageReturn ? line.dropLast() : line
        }
    }

    /// Whether there is a line of another name.
    func hasOther(than name: String) -> Bool {
        let places = Set(places(of: name))
        return lines.indices.contains { index in
            let line = lines[index]
            return !places.contains(index) && line.first != nil && line.first != Self.comment
                && line.first != Self.carriageReturn
        }
    }

    /// Replaces the lines of a name.
    ///
    /// - Parameters:
    ///   - values: The new values. They take the places of the old ones; further ones stand at the end.
    ///   - name: The name, for which ``canHold(_:)`` holds.
    mutating func set(_ values: [[UInt8]], of name: String) {
        let places = places(of: name)
        let beginning = Self.beginning(name)
        for (place, value) in zip(places, values) {
            let end = lines[place].last == Self.carriageReturn ? [Self.carriageReturn] : []
            lines[place] = (beginning + value + end)[...]
        }
        for place in places.dropFirst(values.count).reversed() { lines.remove(at: place) }
        let new = values.dropFirst(places.count).map { value in (beginning + value)[...] }
        guard !new.isEmpty else { return }
        if lines.last?.isEmpty == true {
            lines.insert(contentsOf: new, at: lines.count - 1)
        } else {
            // The last line had no line feed.
            lines += new
            lines.append([])
        }
    }

    private static func beginning(_ name: String) -> [UInt8] { Array(name.utf8) + [UInt8(ascii: ":")] }

    private func places(of name: String) -> [Int] {
        guard Self.canHold(name) else { return [] }
        let beginning = Self.beginning(name)
        return lines.indices.filter { lines[$0].starts(with: beginning) }
    }
}
