// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal
import HTTPTypes

/// The options for the headers and the body of a request. Secret values come from files.
struct RequestOptions: ParsableArguments, InputSource {
    @Option(
        name: .shortAndLong,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The body, a form by default; @- is standard input.",
            valueName: "text|@file"
        )
    )
    var data: [ContentArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The body, with the headers of JSON.",
            valueName: "text|@file"
        )
    )
    var json: [ContentArgument] = []

    @Option(
        name: [.customShort("H"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header, 'Name: value'; secrets belong in a file.",
            valueName: "text|@file"
        )
    )
    var header: [ContentArgument] = []

    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("The method, like the first argument.", valueName: "method")
    )
    var method: TextArgument?

    /// Whether the request has a body.
    var hasBody: Bool { !data.isEmpty || !json.isEmpty }

    func validate() throws {
        guard data.isEmpty || json.isEmpty else {
            throw ValidationError("Give only one of --data and --json.")
        }
    }

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { (header + data + json).compactMap(\.descriptor) }

    /// Returns the request with its headers, and its body.
    func fill(_ request: HTTPRequest) throws -> (HTTPRequest, HTTPRequestBody?) {
        var request = request
        for field in try Self.fields(header) { request.headerFields.append(field) }
        guard hasBody else { return (request, nil) }
        if request.headerFields[.contentType] == nil {
            request.headerFields[.contentType] =
                json.isEmpty ? "application/x-www-form-urlencoded" : "application/json"
        }
        if !json.isEmpty && request.headerFields[.accept] == nil {
            request.headerFields[.accept] = "application/json"
        }
        let parts = try (data + json).map { try $0.read() }
        return (request, HTTPRequestBody(Array(parts.joined(separator: json.isEmpty ? [38] : []))))
    }

    /// Reads and parses headers of the command line and of files.
    static func fields(_ headers: [ContentArgument]) throws -> [HTTPField] {
        try headers.flatMap { try lines(of: $0) }.filter { !$0.isEmpty }.map { try field($0) }
    }

    /// Returns the lines of a file, or the only line of a value on the command line.
    private static func lines(of header: ContentArgument) throws -> [ArraySlice<UInt8>] {
        let bytes = try header.read(isTrusted: true)
        guard header.isFile else { return [bytes[...]] }
        return bytes.split(separator: UInt8(ascii: "\n")).map {
            $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
        }
    }

    /// Parses one header. Error messages omit the text, which may be a secret.
    private static func field(_ line: ArraySlice<UInt8>) throws -> HTTPField {
        guard !line.contains(where: { [0, UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains($0) }) else {
            throw ValidationError(
                "A header must not contain a line feed, a carriage return or a NUL: they would begin another header. "
                    + "Repeat -H, or give -H @FILE with one header per line."
            )
        }
        guard let text = String(validating: line, as: UTF8.self),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(text[..<colon]))
        else { throw ValidationError("A header must have the form 'Name: value'.") }
        var value = text.utf8[colon...].dropFirst()
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        guard HTTPField.isValidValue(value) else {
            throw ValidationError("The value of a header has characters that HTTP does not allow.")
        }
        return HTTPField(name: name, value: value)
    }
}
