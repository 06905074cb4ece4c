// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Steps over the values of a JSON document and checks their syntax.
struct JSONSliceScanner {
    private let bytes: [UInt8]
    private let budget: DecodingBudget
    private(set) var position: Int
    /// The position from which on the deadline is checked again.
    private var nextCheck: Int
    /// How many bytes are read between two checks.
    private static let uncheckedByteCount = 64 << 10

    init(_ bytes: [UInt8], _ budget: DecodingBudget, from position: Int = 0) {
        self.bytes = bytes
        self.budget = budget
        self.position = position
        nextCheck = position + Self.uncheckedByteCount
    }

    /// Checks the deadline, which one long text must not exceed either.
    private mutating func checkDeadline() throws(ClientError) {
        guard position >= nextCheck else { return }
        nextCheck = position + Self.uncheckedByteCount
        try budget.checkDeadline()
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Returns the next byte that is not white space, without consuming it.
    mutating func next() -> UInt8? {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        return position < bytes.count ? bytes[position] : nil
    }

    /// Consumes a character if it is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Steps over one value, without recursion: its depth is up to the server.
    mutating func value(depthLimit: Int) throws(ClientError) -> Range<Int> {
        guard next() != nil else { throw JSONSlices.malformed }
        let start = position
        var closers: [UInt8] = []
        repeat {
            try checkDeadline()
            // Here a value, or the end of an empty array or object, is next.
            switch next() {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard closers.count < depthLimit else { throw JSONSlices.malformed }
                // The closing character follows two places after the opening one in ASCII.
                let closer = bytes[position] + 2
                position += 1
                closers.append(closer)
                if next() != closer {
                    try memberName(in: closer)
                    continue
                }
            case UInt8(ascii: "\""): try text()
            case UInt8(ascii: "t"): try word("true")
            case UInt8(ascii: "f"): try word("false")
            case UInt8(ascii: "n"): try word("null")
            default: try number()
            }
            // Here the end of arrays and objects, or a comma, is next.
            while let closer = closers.last, next() == closer {
                position += 1
                closers.removeLast()
            }
            if let closer = closers.last {
                guard take(",") else { throw JSONSlices.malformed }
                try memberName(in: closer)
            }
        } while !closers.isEmpty
        return start..<position
    }

    /// Steps over the name of an object's member.
    private mutating func memberName(in closer: UInt8) throws(ClientError) {
        guard closer == UInt8(ascii: "}") else { return }
        guard next() == UInt8(ascii: "\"") else { throw JSONSlices.malformed }
        try text()
        guard take(":") else { throw JSONSlices.malformed }
    }

    private mutating func word(_ word: String) throws(ClientError) {
        let letters = word.utf8
        guard bytes[position...].starts(with: letters) else { throw JSONSlices.malformed }
        position += letters.count
    }

    private mutating func text() throws(ClientError) {
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            try checkDeadline()
            switch byte {
            case UInt8(ascii: "\""): return
            case ..<0x20: throw JSONSlices.malformed
            case UInt8(ascii: "\\"): try escape()
            default: break
            }
        }
        throw JSONSlices.malformed
    }

    private mutating func escape() throws(ClientError) {
        guard position < bytes.count else { throw JSONSlices.malformed }
        let byte = bytes[position]
        position += 1
        if byte == UInt8(ascii: "u") {
            let digits = bytes[position...].prefix(4)
            guard digits.count == 4, digits.allSatisfy(URLBytes.isHexDigit) else {
                throw JSONSlices.malformed
            }
            position += 4
        } else if !#""\/bfnrt"#.utf8.contains(byte) {
            throw JSONSlices.malformed
        }
    }

    private mutating func number() throws(ClientError) {
        takeByte { $0 == UInt8(ascii: "-") }
        if !takeByte({ $0 == UInt8(ascii: "0") }) { try digits() }
        if takeByte({ $0 == UInt8(ascii: ".") }) { try digits() }
        if takeByte({ $0 | 0x20 == UInt8(ascii: "e") }) {
            takeByte { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            try digits()
        }
    }

    private mutating func digits() throws(ClientError) {
        guard takeByte({ 0x30...0x39 ~= $0 }) else { throw JSONSlices.malformed }
        while takeByte({ 0x30...0x39 ~= $0 }) { try checkDeadline() }
    }

    @discardableResult
    private mutating func takeByte(_ isMeant: (UInt8) -> Bool) -> Bool {
        guard position < bytes.count, isMeant(bytes[position]) else { return false }
        position += 1
        return true
    }
}
