// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import HTTPTypes

/// The headers and the body of a request. Those that are secret come from files.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header, 'Name: value'; may be repeated. @file has one a line; everybody on this machine sees the others.",
            valueName: "text|@file"
        )
    )
    var header: [ContentArgument] = []

    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp(
            "The body, a form unless a header says another Content-Type; @file is a file, @- standard input.",
            valueName: "text|@file"
        )
    )
    var data: ContentArgument?

    /// The descriptors that are read, as far as they are known by their numbers.
    var descriptors: [Int32] { header.compactMap(\.descriptor) + [data?.descriptor].compactMap { $0 } }

    /// The request with its headers, and its body.
    func fill(_ request: HTTPRequest) throws -> (HTTPRequest, RequestBody?) {
        var request = request
        for header in header {
            for line in try header.read().split(whereSeparator: { $0 == 10 || $0 == 13 }) {
                request.headerFields.append(try Self.field(line))
            }
        }
        guard let data else { return (request, nil) }
        if request.headerFields[.contentType] == nil {
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        }
        return (request, RequestBody(try data.read()))
    }

    /// One header. What is wrong with it is said without the text, which may be a secret.
    private static func field(_ line: ArraySlice<UInt8>) throws -> HTTPField {
        guard let text = String(validating: line, as: UTF8.self),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(text[..<colon]))
        else { throw ValidationError("A header is written as 'Name: value'.") }
        let rest = text[text.utf8.index(after: colon)...]
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let value = String(rest.drop(while: isBlank))
        guard HTTPField.isValidValue(value) else {
            throw ValidationError("The value of a header has characters that HTTP does not allow.")
        }
        return HTTPField(name: name, value: value)
    }
}
