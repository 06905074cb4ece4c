// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitClient

extension FuzzTarget {
    /// Feeds requests to the server that waits for the answer of a login in the browser.
    static let callbackRequests = FuzzTarget("callback-requests") { bytes in
        let end = CallbackHead.end(in: bytes)
        let expected = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
        try requireEqual(end, expected, "a head ends at its first empty line")
        guard let end else { return }
        try requireEqual(
            CallbackHead.end(in: bytes, from: end - 4),
            end,
            "a head that arrives in pieces ends at the same place"
        )
        let head = Array(bytes[..<end])
        guard let request = CallbackRequest(parsing: head, body: Array(bytes[end...])) else { return }
        try CallbackProperties.check(request, head)
        try CallbackProperties.checkCopy(of: request)
    }
}

private enum CallbackProperties {
    static func check(_ request: CallbackRequest, _ head: [UInt8]) throws {
        try require(
            !request.method.isEmpty && request.method.utf8.allSatisfy { 0x41...0x5A ~= $0 },
            "a method is a word in upper case: \(request.method)"
        )
        try require(
            request.path.utf8.first == UInt8(ascii: "/")
                && request.path.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x3F && $0 != 0x23 },
            "a path is visible ASCII: \(request.path)"
        )
        for value in [request.host, request.secFetchDest ?? ""] {
            try require(
                !value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F },
                "a value is one line"
            )
        }
        let lines = head.split(separator: 10).map { String(decoding: $0, as: UTF8.self).lowercased() }
        for (name, count) in [("host:", 1), ("sec-fetch-dest:", request.secFetchDest == nil ? 0 : 1)] {
            try requireEqual(
                lines.dropFirst().filter { $0.utf8.starts(with: name.utf8) }.count,
                count,
                "a field that counts stands there once: \(name)"
            )
        }
        try require(
            request.parameters.count <= CallbackRequest.maximumParameterCount,
            "the number of parameters is limited"
        )
    }

    /// The request written canonically is the same.
    static func checkCopy(of request: CallbackRequest) throws {
        let form = FormText.encode(request.parameters.map { (key: $0.0, value: $0.1) })
        let isPost = request.method == "POST"
        var lines = ["\(request.method) \(request.path)"]
        if !isPost { lines[0] += "?" + String(decoding: form, as: UTF8.self) }
        lines[0] += " HTTP/1.1"
        lines.append("Host: \(request.host)")
        if let destination = request.secFetchDest { lines.append("Sec-Fetch-Dest: \(destination)") }
        if isPost {
            lines += ["Content-Type: application/x-www-form-urlencoded", "Content-Length: \(form.count)"]
        }
        let head = lines.map { $0 + "\r\n" }.joined() + "\r\n"
        let copy = CallbackRequest(parsing: Array(head.utf8), body: isPost ? form : [])
        try requireEqual(copy.map(image), image(request), "a request written canonically is the same")
    }

    /// The bytes of a request: texts would be compared as Unicode.
    private static func image(_ request: CallbackRequest) -> [[UInt8]] {
        [request.method, request.path, request.host, request.secFetchDest ?? "-"].map { Array($0.utf8) }
            + request.parameters.flatMap { [Array($0.0.utf8), Array($0.1.utf8)] }
    }
}
