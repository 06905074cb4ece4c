// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitClient
import HTTPTypes

extension FuzzTarget {
    /// Feeds what a download is continued by: Content-Range, the head of a response, and the note beside the file.
    static let downloads = FuzzTarget("downloads") { bytes in
        var input = FuzzInput(bytes)
        switch input.byte() % 4 {
        case 0: try DownloadProperties.checkRange(input.remaining)
        case 1: try DownloadProperties.checkPlan(&input)
        case 2: try DownloadProperties.checkNote(input.remaining)
        default: try DownloadProperties.checkWrittenNote(&input)
        }
    }
}

private enum DownloadProperties {
    static func checkRange(_ bytes: [UInt8]) throws {
        guard let text = String(input: bytes) else { return }
        let range = ContentRange(text)
        try requireEqual(range, reference(bytes), "a content range is the same for both parsers: \(text)")
        switch range {
        case .bytes(let first, let last, let total)?:
            try require(0 <= first && first <= last, "a range has bytes, and none before the first")
            try require(last < total ?? .max, "a range ends within the file: \(text)")
            let printed = "bytes \(first)-\(last)/\(total.map { "\($0)" } ?? "*")"
            try requireEqual(ContentRange(printed), range, "a printed range is the same")
        case .unsatisfied(let total)?:
            try require(total >= 0, "a size is not negative")
            try requireEqual(ContentRange("bytes */\(total)"), range, "a printed size is the same")
        case nil: break
        }
    }

    /// A second parser of the grammar in RFC 9110, section 14.4, from the end to the start. Numbers have at most 19
    /// digits, and fit in 64 bits.
    private static func reference(_ bytes: [UInt8]) -> ContentRange? {
        var rest = bytes[...]
        let (total, totalStop) = number(&rest, orStar: true)
        guard let total, totalStop == UInt8(ascii: "/") else { return nil }
        let (last, lastStop) = number(&rest, orStar: true)
        guard let last else { return nil }
        if last == -1 {
            guard total >= 0, lastStop == UInt8(ascii: " "), isUnit(rest) else { return nil }
            return .unsatisfied(total: total)
        }
        let (first, firstStop) = number(&rest, orStar: false)
        guard let first, lastStop == UInt8(ascii: "-"), firstStop == UInt8(ascii: " "), isUnit(rest),
            first <= last, last < (total == -1 ? .max : total)
        else { return nil }
        return .bytes(first: first, last: last, total: total == -1 ? nil : total)
    }

    private static func isUnit(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 } == Array("bytes".utf8)
    }

    /// Takes a number from the end, or -1 for an asterisk, and the byte before it.
    private static func number(_ rest: inout ArraySlice<UInt8>, orStar: Bool) -> (Int64?, UInt8?) {
        var (value, place, count): (UInt64, UInt64, Int) = (0, 1, 0)
        if orStar, rest.last == UInt8(ascii: "*") {
            rest = rest.dropLast()
            return (-1, rest.popLast())
        }
        while let digit = rest.last, 0x30...0x39 ~= digit {
            rest = rest.dropLast()
            // 19 digits always fit in an unsigned number.
            guard count < 19 else { return (nil, nil) }
            value += UInt64(digit - 0x30) * place
            place *= 10
            count += 1
        }
        return (count == 0 ? nil : Int64(exactly: value), rest.popLast())
    }

    /// Whatever a server sends: bytes are appended only to those of the same version, at their place.
    static func checkPlan(_ input: inout FuzzInput) throws {
        let count = Int64(input.byte())
        let part = DownloadPlan.Part(
            byteCount: count,
            validator: .entityTag("\"x\""),
            total: input.byte() & 1 == 0 ? nil : count + Int64(input.byte())
        )
        let plan = DownloadPlan(part, asksForLastByte: input.byte() & 1 == 1)
        var head = HTTPResponse(status: .init(code: [200, 206, 416, 304, 503][input.number(below: 5)]))
        let names: [HTTPField.Name] = [
            .contentRange, .eTag, .contentLength, .lastModified, .date, .acceptRanges,
        ]
        while !input.rest.isEmpty {
            let name = names[input.number(below: names.count)]
            head.headerFields.append(
                HTTPField(name: name, value: String(decoding: input.line(), as: UTF8.self))
            )
        }
        let tags = head.headerFields[values: .eTag]
        switch plan.judge(head) {
        case .go(let from, let to, let total):
            try requireEqual(head.status.code, 206, "a part has status 206")
            try requireEqual(from, plan.start, "a part begins where it was asked for")
            try require(from < to && to <= total && count <= total, "a part is within the file")
            try requireEqual(tags, ["\"x\""], "a part names the version")
            try require(part.total == nil || part.total == total, "the size is the same")
        case .done:
            try require(head.status.code == 416 && tags == ["\"x\""], "the end is that of the version")
            try requireEqual(ContentRange(head), .unsatisfied(total: count), "the end is at the last byte")
        case .begin(let total):
            try requireEqual(head.status.code, 200, "the whole file has status 200")
            try require(total ?? 0 >= 0, "a size is not negative")
        case .askForLastByte: try require(plan.start == count, "the last byte is asked for once")
        case .askForWhole: try require(plan.start != nil, "the whole file is asked for once")
        case .fail: break
        }
    }

    static func checkNote(_ bytes: [UInt8]) throws {
        guard let note = DownloadNote(bytes) else { return }
        try require(bytes.count < DownloadNote.maximumByteCount, "a note is limited")
        try require(note.durableByteCount >= 0 && note.total ?? 0 >= 0, "a note has no negative numbers")
        try requireEqual(DownloadNote(note.bytes), note, "a printed note is the same")
        _ = note.belongs(to: ["https://s.example/"])
        for count in [0, bytes.count / 2, bytes.count - 1] {
            try require(DownloadNote(Array(bytes.prefix(count))) == nil, "a torn note is malformed: \(count)")
        }
    }

    /// Whatever validator a server sends, the note about it is read as it was written.
    static func checkWrittenNote(_ input: inout FuzzInput) throws {
        let total = input.byte() & 1 == 0 ? nil : Int64(input.byte()) << 40
        let parts = [String(decoding: input.line(), as: UTF8.self), "alice"]
        var head = HTTPResponse(status: .ok)
        let date = "Mon, 07 Nov 2094 08:49:37 GMT"
        let isTag = input.byte() & 1 == 0
        head.headerFields = isTag ? [.eTag: input.text] : [.lastModified: input.text, .date: date]
        guard let validator = DownloadValidator(head) else { return }
        try require(validator.match(head) == .same, "a validator matches itself")
        let owner = DownloadNote.owner(parts, salt: "0123456789abcdef")
        let note = DownloadNote(owner: owner, validator: validator, total: total, boot: isTag ? nil : "b")
        try requireEqual(DownloadNote(note.bytes), note, "a written note is read")
        try require(note.belongs(to: parts), "a note belongs to its download")
        try require(!note.belongs(to: parts + [""]), "a note belongs to no other download")
        try require(!note.belongs(to: [parts[0] + "5:alice"]), "the parts of an owner are kept apart")
    }
}
