// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitTerminal
import HTTPTypes

/// An HTTP message in a file: the first line, header lines, an empty line, and the content. Lines end with LF or CR LF.
struct MessageFile {
    private static let maximumByteCount = 64 << 20
    private static let maximumHeadByteCount = 256 << 10

    enum Start {
        case request(HTTPRequest.Method, HTTPURL, target: String)
        case response(HTTPResponse.Status)
    }

    let start: Start
    /// The lines of the head as they are in the file, the first one included, without their ends.
    private(set) var lines: [[UInt8]]
    /// The header lines.
    private(set) var fields: [MessageSignature.Field]
    private let lineEnd: [UInt8]
    var content: [UInt8]

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - isSecure: Whether it was sent over https.
    /// - Throws: ``CommandFailure`` if it cannot be read or is no message.
    init(_ file: FileArgument, isSecure: Bool) throws {
        let bytes = try file.readAll(limit: Self.maximumByteCount)
        func malformed(_ reason: String) -> CommandFailure {
            CommandFailure(.malformed, "\(file.quotedForMessage): \(reason)")
        }
        var rest = bytes[...]
        var lines: [[UInt8]] = []
        lineEnd = Self.endsWithCarriageReturn(bytes) ? [13, 10] : [10]
        while true {
            guard let end = rest.prefix(Self.maximumHeadByteCount).firstIndex(of: 10) else {
                throw malformed("the head of the message does not end with an empty line")
            }
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            let text = line.last == 13 ? line.dropLast() : line
            if text.isEmpty { break }
            lines.append(Array(text))
            guard rest.startIndex < Self.maximumHeadByteCount else { throw malformed("its head is too long") }
        }
        guard let first = lines.first else { throw malformed("there is no message") }
        var fields: [MessageSignature.Field] = []
        for line in lines.dropFirst() {
            guard let field = Self.field(line) else {
                throw malformed("line \(fields.count + 2) is not a header 'Name: value'")
            }
            fields.append(field)
        }
        (self.lines, self.fields, content) = (lines, fields, Array(rest))
        let words = String(decoding: first, as: UTF8.self).split(
            separator: " ",
            omittingEmptySubsequences: false
        )
        let hosts = fields.filter { $0.name.lowercased() == "host" }.map {
            String(decoding: $0.value, as: UTF8.self)
        }
        if words.count >= 2, words[0].hasPrefix("HTTP") {
            guard let code = Int(words[1]), (100...599).contains(code) else {
                throw malformed("its first line has no status")
            }
            start = .response(HTTPResponse.Status(code: code))
            return
        }
        guard words.count == 3, words[2].hasPrefix("HTTP/"), let method = HTTPRequest.Method(String(words[0]))
        else {
            throw malformed("its first line is not 'METHOD TARGET HTTP/1.1' or 'HTTP/1.1 STATUS'")
        }
        let target = String(words[1])
        guard target.hasPrefix("/") else { throw malformed("the target of its first line is not a path") }
        guard hosts.count == 1, let host = hosts.first else { throw malformed("it needs one header 'Host'") }
        // The host must not continue in the path.
        guard let url = try? HTTPURL("http\(isSecure ? "s" : "")://\(host)\(target)"), url.target == target
        else {
            throw malformed("its target or its header 'Host' is malformed")
        }
        start = .request(method, url, target: target)
        let lengths = fields.filter { $0.name.lowercased() == "content-length" }.map(\.value)
        guard lengths.allSatisfy({ $0 == Array("\(content.count)".utf8) }) else {
            throw malformed(
                "Content-Length is not the length of the content, which is \(content.count) bytes"
            )
        }
    }

    private static func endsWithCarriageReturn(_ bytes: [UInt8]) -> Bool {
        bytes.firstIndex(of: 10).map { $0 > 0 && bytes[$0 - 1] == 13 } ?? false
    }

    private static func field(_ line: [UInt8]) -> MessageSignature.Field? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return nil }
        var value = line[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        guard !value.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else { return nil }
        return MessageSignature.Field(name.rawName, Array(value))
    }

    /// The message for signatures.
    var message: MessageSignature.Message {
        switch start {
        case .response(let status): return .response(.init(status: status.code, fields: fields))
        case .request(let method, let url, let target):
            let path = target.prefix { $0 != "?" }
            return .request(
                MessageSignature.Request(
                    method: method.rawValue,
                    scheme: url.origin.scheme,
                    authority: url.origin.authority,
                    path: String(path),
                    query: path.count == target.count ? nil : String(target.dropFirst(path.count + 1)),
                    fields: fields
                )
            )
        }
    }

    /// Adds header lines.
    mutating func append(_ added: [(name: String, value: String)]) {
        for (name, value) in added {
            lines.append(Array("\(name): \(value)".utf8))
            fields.append(MessageSignature.Field(name, value))
        }
    }

    /// Removes all header lines with a name.
    mutating func remove(_ name: String) {
        let kept = fields.indices.filter { fields[$0].name.lowercased() != name.lowercased() }
        lines = [lines[0]] + kept.map { lines[$0 + 1] }
        fields = kept.map { fields[$0] }
    }

    /// Replaces the target of a request, and its content.
    mutating func replace(target: String, content: [UInt8]) {
        guard case .request(let method, _, _) = start else { return }
        let version = lines[0].split(separator: 0x20).last.map { Array($0) } ?? []
        lines[0] = Array("\(method.rawValue) \(target) ".utf8) + version
        guard content != self.content else { return }
        self.content = content
        guard let index = fields.firstIndex(where: { $0.name.lowercased() == "content-length" }) else {
            return
        }
        fields[index].value = Array("\(content.count)".utf8)
        lines[index + 1] = Array("\(fields[index].name): \(content.count)".utf8)
    }

    /// The message as a file.
    var bytes: [UInt8] { lines.flatMap { $0 + lineEnd } + lineEnd + content }
}
