// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import HTTPTypes

/// An HTTP message in a file: the first line, header lines, an empty line, and the content. Lines end with LF or CR LF.
struct MessageFile {
    private static let maximumByteCount = 64 << 20
    private static let maximumHeadByteCount = 256 << 10

    enum Start {
        case request(MessageTarget)
        case response(HTTPResponse.Status)
    }

    let start: Start
    /// The lines of the head as they are in the file, the first and the empty one included, with their ends.
    private var lines: [[UInt8]]
    /// The header lines.
    private(set) var fields: [MessageSignature.Field]
    private(set) var content: [UInt8]

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - isSecure: Whether it was sent over https.
    /// - Throws: ``CommandFailure`` if it cannot be read or is no message.
    init(_ file: FileArgument, isSecure: Bool) throws {
        do {
            try self.init(try file.readAll(limit: Self.maximumByteCount), isSecure: isSecure)
        } catch let error as Malformed {
            throw CommandFailure(.malformed, "\(file.quotedForMessage): \(error.reason)")
        }
    }

    /// The file is not one HTTP message.
    struct Malformed: Error {
        /// What is wrong, for people.
        let reason: String
    }

    private init(_ bytes: [UInt8], isSecure: Bool) throws {
        var rest = bytes[...]
        var lines: [[UInt8]] = []
        repeat {
            let head = rest.prefix(Self.maximumHeadByteCount - rest.startIndex)
            guard let end = head.firstIndex(of: 10) else {
                throw Malformed(
                    reason: "the head of the message does not end with an empty line, or is too long"
                )
            }
            lines.append(Array(rest[...end]))
            rest = rest[(end + 1)...]
        } while !lines[lines.count - 1].withoutLineEnd.isEmpty && rest.startIndex < Self.maximumHeadByteCount
        var fields: [MessageSignature.Field] = []
        for line in lines.dropFirst().dropLast() {
            guard let field = Self.field(line.withoutLineEnd) else {
                throw Malformed(reason: "line \(fields.count + 2) is not a header 'Name: value'")
            }
            fields.append(field)
        }
        (self.lines, self.fields, content) = (lines, fields, Array(rest))
        start = try Self.start(lines[0].withoutLineEnd, fields, isSecure: isSecure)
        try checkContent()
    }

    private static func start(
        _ line: ArraySlice<UInt8>,
        _ fields: [MessageSignature.Field],
        isSecure: Bool
    ) throws(Malformed) -> Start {
        guard !line.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Malformed(reason: "its first line has a control character")
        }
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count > 1 else { throw notAFirstLine }
        if isVersion(words[0]) {
            guard words[1].count == 3, words[1].allSatisfy(isDigit),
                let code = Int(String(decoding: words[1], as: UTF8.self)), (100...599).contains(code)
            else { throw Malformed(reason: "its first line has no status") }
            return .response(HTTPResponse.Status(code: code))
        }
        guard isVersion(words[words.count - 1]) else {
            throw Malformed(reason: "its first line does not end with a version: 'METHOD TARGET HTTP/1.1'")
        }
        guard words.count > 2 else { throw notAFirstLine }
        guard words.count == 3 else {
            throw Malformed(reason: "the target of its first line has a blank: write it as %20")
        }
        guard let method = HTTPRequest.Method(String(decoding: words[0], as: UTF8.self)) else {
            throw notAFirstLine
        }
        let hosts = fields.filter { $0.isNamed("host") }.map(\.text)
        return .request(try MessageTarget(words[1], of: method, hosts: hosts, isSecure: isSecure))
    }

    private static var notAFirstLine: Malformed {
        Malformed(reason: "its first line is not 'METHOD TARGET HTTP/1.1' or 'HTTP/1.1 STATUS'")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// `HTTP/1.1`, `HTTP/2`, or `HTTP` as this command prints it.
    private static func isVersion(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.starts(with: "HTTP".utf8) else { return false }
        let number = word.dropFirst(4)
        guard let slash = number.first else { return true }
        let parts = number.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return slash == UInt8(ascii: "/") && parts.count <= 2
            && parts.allSatisfy { $0.count == 1 && $0.allSatisfy(isDigit) }
    }

    private static func field(_ line: some Collection<UInt8>) -> MessageSignature.Field? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return nil }
        var value = Array(line[colon...].dropFirst())[...]
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        guard !value.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else { return nil }
        return MessageSignature.Field(name.rawName, Array(value))
    }

    /// Rejects content that is not that of this message alone.
    private func checkContent() throws {
        if case .response = start, content.starts(with: Array("HTTP/".utf8)) {
            throw Malformed(reason: "it has several heads: keep the last one and its content")
        }
        // The response to HEAD has a length, but no content.
        if case .response = start, content.isEmpty { return }
        let length = Array("\(content.count)".utf8)
        guard fields.allSatisfy({ !$0.isNamed("content-length") || $0.value == length }) else {
            throw Malformed(
                reason: "Content-Length is not the length of the content, which is \(content.count) bytes"
            )
        }
    }

    /// The message for signatures.
    var message: MessageSignature.Message {
        switch start {
        case .response(let status): return .response(.init(status: status.code, fields: fields))
        case .request(let target): return .request(target.request(fields: fields))
        }
    }

    /// The values of all header lines with a name, in lower case.
    func values(_ name: String) -> [String] { fields.filter { $0.isNamed(name) }.map(\.text) }

    /// Adds header lines.
    mutating func append(_ added: [(name: String, value: String)]) {
        for (name, value) in added {
            lines.insert(Array("\(name): \(value)".utf8) + lines[0].lineEnd, at: lines.count - 1)
            fields.append(MessageSignature.Field(name, value))
        }
    }

    /// Removes all header lines with a name, in lower case.
    mutating func remove(_ name: String) {
        let kept = fields.indices.filter { !fields[$0].isNamed(name) }
        lines = [lines[0]] + kept.map { lines[$0 + 1] } + [lines[lines.count - 1]]
        fields = kept.map { fields[$0] }
    }

    /// Replaces the content of a request, and its query unless that is `nil`.
    mutating func replace(query: String?, content: [UInt8]) {
        if let query {
            let words = lines[0].withoutLineEnd.split(separator: UInt8(ascii: " "))
            var line = Array(words[0])
            line.append(UInt8(ascii: " "))
            line += words[1].prefix { $0 != UInt8(ascii: "?") }
            line.append(UInt8(ascii: "?"))
            line += query.utf8
            line.append(UInt8(ascii: " "))
            line += words[2]
            lines[0] = line + lines[0].lineEnd
        }
        self.content = content
        guard let index = fields.firstIndex(where: { $0.isNamed("content-length") }) else { return }
        fields[index].value = Array("\(content.count)".utf8)
        let line = "\(fields[index].name): \(content.count)"
        lines[index + 1] = Array(line.utf8) + lines[index + 1].lineEnd
    }

    /// The message as a file.
    var bytes: [UInt8] { lines.flatMap { $0 } + content }
}

extension MessageSignature.Field {
    /// The value as text.
    fileprivate var text: String { String(decoding: value, as: UTF8.self) }
}

extension [UInt8] {
    /// A line without its LF or CR LF.
    fileprivate var withoutLineEnd: ArraySlice<UInt8> { dropLast(lineEnd.count) }

    /// The LF or CR LF of a line.
    fileprivate var lineEnd: [UInt8] {
        guard last == 10 else { return [] }
        return dropLast().last == 13 ? [13, 10] : [10]
    }
}
