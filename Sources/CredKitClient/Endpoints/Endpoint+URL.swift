// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension Endpoint {
    /// Returns the URL of the endpoint: the server's URL, then path prefix, version and path, each preceded by
    /// one slash.
    ///
    /// A query in the server's URL is dropped.
    package func url(
        on server: HTTPURL,
        pathPrefix defaultPathPrefix: String? = nil,
        version defaultVersion: String? = nil
    ) throws(ClientError) -> HTTPURL {
        var text = server.path
        while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
        for part in [pathPrefix ?? defaultPathPrefix ?? "", version ?? defaultVersion ?? ""] {
            try Self.append(part, to: &text, keepsLastSlash: false)
        }
        try Self.append(path, to: &text, keepsLastSlash: true)
        return HTTPURL(
            origin: server.origin,
            path: text.isEmpty ? "/" : text,
            query: query.isEmpty
                ? nil : String(decoding: FormText.encode(query, as: .component), as: UTF8.self)
        )
    }

    private static func append(
        _ part: String,
        to text: inout String,
        keepsLastSlash: Bool
    ) throws(ClientError) {
        let slash = UInt8(ascii: "/")
        var rest = part.utf8[...]
        while !rest.isEmpty {
            let segment = rest.prefix { $0 != slash }
            rest = rest[segment.endIndex...].dropFirst()
            // Leading and trailing slashes are already there, and doubled ones are mistakes.
            if segment.isEmpty { continue }
            guard !segment.elementsEqual("..".utf8), !segment.elementsEqual(".".utf8) else {
                throw .invalidRequest("invalid path: it must not contain the segments '.' and '..'")
            }
            text += "/"
            text += PercentCoding.component.encode(segment)
        }
        if keepsLastSlash, part.utf8.last == slash { text += "/" }
    }
}
