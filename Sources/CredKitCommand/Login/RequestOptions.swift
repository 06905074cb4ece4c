// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal
import HTTPTypes

/// The options for the headers and the body of a request. Secret values come from files.
struct RequestOptions: ParsableArguments, InputSource {
    @Option(
        name: [.customShort("H"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header, 'Name: value'; may be repeated. @file has one per line. All users of this machine can see "
                + "headers that are not in a file.",
            valueName: "text|@file"
        )
    )
    var header: [ContentArgument] = []

    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp(
            "The body, a form unless a header sets the Content-Type; @file is a file, @- is standard input.",
            valueName: "text|@file"
        )
    )
    var data: ContentArgument?

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { header.compactMap(\.descriptor) + [data?.descriptor].compactMap { $0 } }

    /// Returns the request with its headers, and its body.
    func fill(_ request: HTTPRequest) throws -> (HTTPRequest, HTTPRequestBody?) {
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
        return (request, HTTPRequestBody(try data.read()))
    }

    /// Parses one header. Error messages omit the text, which may be a secret.
    private static func field(_ line: ArraySlice<UInt8>) throws -> HTTPField {
        guard let text = String(validating: line, as: UTF8.self),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(text[..<colon]))
        else { throw ValidationError("A header must have the form 'Name: value'.") }
        let rest = text[text.utf8.index(after: colon)...]
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let value = String(rest.drop(while: isBlank))
        guard HTTPField.isValidValue(value) else {
            throw ValidationError("The value of a header has characters that HTTP does not allow.")
        }
        return HTTPField(name: name, value: value)
    }
}
