// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
@testable import CredKitClient
@testable import CredKitCommand
import HTTPTypes

extension FuzzTarget {
    /// Feeds the heads of responses, line by line as libcurl passes them on, and the headers of requests.
    static let headers = FuzzTarget("headers") { bytes in
        var input = FuzzInput(bytes)
        switch input.byte() % 3 {
        case 0: try HeaderProperties.checkResponse(input.remaining)
        case 1: try HeaderProperties.checkOption(input.remaining)
        default: try HeaderProperties.checkRequest(&input)
        }
    }
}

private enum HeaderProperties {
    private static let options = Result { try RequestOptions.parse([]) }

    static func checkResponse(_ bytes: [UInt8]) throws {
        var head = CurlHead()
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = Array(rest.prefix { $0 != 10 }) + [10]
            rest = rest.dropFirst(line.count)
            guard case .more = line.withUnsafeBytes({ head.receive($0) }) else { break }
        }
        try require(head.byteCount.map { $0 >= 0 } ?? true, "a length is not negative")
        guard head.isComplete else { return }
        try require(200...999 ~= head.status, "a complete response is not informational: \(head.status)")
        guard let response = try? CurlHead.response(head.bytes) else { return }
        try requireEqual(response.status.code, head.status, "both readings of the status agree")
        try require(
            response.headerFields.count <= CurlHead.maximumFieldCount,
            "the number of fields is limited"
        )
        for field in response.headerFields {
            try require(!field.value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a value is one line")
        }
        try require(response.retryAfter.map { $0 >= .zero } ?? true, "a wait is not negative")
        try checkRedirect(response)
    }

    /// A redirect never leads from https to http, nor takes the caller's headers to another origin.
    private static func checkRedirect(_ response: HTTPResponse) throws {
        let url = try HTTPURL("https://s.example/x/y?z")
        let rules = RedirectRules(credentialOrigins: [url.origin])
        let step = RedirectStep(url: url)
        guard let target = try? rules.target(of: response, at: step) else { return }
        var request = OutgoingRequest(url: url, headers: [.authorization: "secret"])
        guard let next = try? rules.follow(response, to: target, from: step, changing: &request) else {
            return
        }
        try require(next.url.origin.isSecure, "https is not left")
        try require(
            next.url.origin == url.origin || request.headers[.authorization] == nil,
            "headers stay at their origin: \(next.url)"
        )
    }

    /// The text of an option -H.
    static func checkOption(_ bytes: [UInt8]) throws {
        // `@` names a file.
        guard bytes.first != UInt8(ascii: "@"), let text = String(input: bytes), !text.utf8.contains(0) else {
            return
        }
        var options = try options.get()
        options.header = [ContentArgument(argument: text)]
        let empty = HTTPRequest(method: .get, scheme: "https", authority: "s.example", path: "/")
        guard let (request, _) = try? options.fill(empty) else { return }
        try require(request.headerFields.count <= 1, "an option is one header")
        for field in request.headerFields { try checkField(field) }
    }

    private static func checkField(_ field: HTTPField) throws {
        try require(!field.value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a value is one line")
        try require(
            !field.name.rawName.isEmpty
                && field.name.rawName.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x3A },
            "a name is a token: \(field.name.rawName)"
        )
    }

    /// The lines that libcurl gets.
    static func checkRequest(_ input: inout FuzzInput) throws {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "s.example", path: "/")
        while !input.rest.isEmpty {
            let parts = input.line().split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, let text = String(input: parts[0]), let name = HTTPField.Name(text) else {
                continue
            }
            request.headerFields.append(
                HTTPField(name: name, value: String(decoding: parts[1], as: UTF8.self))
            )
        }
        guard let lines = try? CurlHeaderLines(request, hasBody: true) else { return }
        var (count, byteCount, cookieCount) = (0, 0, 0)
        var failure: PropertyFailure?
        lines.forEach { name, separator, value in
            let line = name + separator + value
            count += 1
            byteCount += line.utf8.count + 1
            if name == "Cookie" { cookieCount += 1 }
            if line.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) {
                failure = PropertyFailure("a header is one line: \(line)")
            }
        }
        if let failure { throw failure }
        try require(count == lines.count && byteCount == lines.byteCount, "the announced size is exact")
        try require(cookieCount <= 1, "all cookies are in one field")
    }
}
