// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Words in memory, one behind the other, and a hash table of their places.
struct WordSet: WordLookup {
    static let maximumByteCount = 256 << 20
    static let maximumWordCount = 1 << 24

    private let bytes: [UInt8]
    /// Where each word ends.
    private let ends: [Int]
    /// The number of a word plus 1, or 0; its size is a power of two.
    private var table: [UInt32]

    /// Creates a set of words that end at places of `bytes`.
    init(_ bytes: [UInt8], ends: [Int]) {
        self.bytes = bytes
        self.ends = ends
        var size = 4
        while size < ends.count * 2 { size *= 2 }
        table = Array(repeating: 0, count: size)
        for index in ends.indices.prefix(Int(UInt32.max) - 1) {
            let word = bytes.span.extracting(range(of: index))
            let place = place(of: word)
            if table[place] == 0 { table[place] = UInt32(index + 1) }
        }
    }

    init(
        file path: [UInt8],
        maximumWordCount: Int = WordSet.maximumWordCount
    ) throws(PasswordError) {
        let operation = "cannot read the list"
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Descriptor(ordinaryFileAt: path, operation)
                .readAll(limit: Self.maximumByteCount + 1, expecting: Self.maximumByteCount)
        } catch {
            throw PasswordError(unreadable: error)
        }
        guard bytes.count <= Self.maximumByteCount else {
            throw .overLimit(
                "a list of words has more than \(MemorySize.bytes(Self.maximumByteCount)); make a filter of it"
            )
        }
        guard let ends = Self.joinLines(&bytes, maximumCount: maximumWordCount) else {
            throw .overLimit("a list has more than \(maximumWordCount) words; make a filter of it")
        }
        self.init(bytes, ends: ends)
    }

    /// The number of words, of which some can be equal.
    var wordCount: Int { ends.count }

    /// Removes line feeds, and carriage returns before them. Returns where each line ends then, with one for all empty lines;
    /// `nil` if there are too many.
    private static func joinLines(_ bytes: inout [UInt8], maximumCount: Int) -> [Int]? {
        var ends: [Int] = []
        var hasEmptyLine = false
        var (start, target) = (0, 0)
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
            let line = start..<(hasReturn ? end - 1 : end)
            start = end + 1
            if line.isEmpty && hasEmptyLine { continue }
            hasEmptyLine = hasEmptyLine || line.isEmpty
            guard ends.count < maximumCount else { return nil }
            for index in line {
                bytes[target] = bytes[index]
                target += 1
            }
            ends.append(target)
        }
        bytes.removeLast(bytes.count - target)
        return ends
    }

    private func range(of index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// Returns the place of a word in the table, or the free place where it would be.
    private func place(of word: Span<UInt8>) -> Int {
        // The seed differs in each process, so a list cannot be made whose words all share a place.
        var hasher = Hasher()
        unsafe word.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        var place = hasher.finalize() & (table.count - 1)
        while table[place] != 0 {
            let range = range(of: Int(table[place]) - 1)
            if range.count == word.count && ConstantTime.areEqual(bytes.span.extracting(range), word) {
                break
            }
            place = (place + 1) & (table.count - 1)
        }
        return place
    }

    func contains(_ word: Span<UInt8>) -> Bool { table[place(of: word)] != 0 }
}
