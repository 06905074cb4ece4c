// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal
import HTTPTypes

/// What the arguments of a request name: method and URL.
struct RequestTarget {
    let url: HTTPURL
    /// The request, without headers.
    let request: HTTPRequest
    /// Whether the URL is relative to the server of a session.
    let isRelative: Bool

    /// Checks how many arguments there are.
    static func check(_ words: [TextArgument], _ content: RequestOptions) throws {
        guard !words.isEmpty else { throw ValidationError("Give the URL.") }
        guard words.count <= 2 else { throw UnexpectedArguments.error }
        guard content.method == nil || words.count == 1 else {
            throw ValidationError("Give the method only once: before the URL or with -X.")
        }
    }

    /// Reads the arguments.
    ///
    /// - Parameters:
    ///   - words: The URL, or the method and the URL.
    ///   - content: The options that imply a method.
    ///   - files: The options that imply a method, or the end of the URL.
    ///   - server: The server of a relative URL; `nil` for a stand-in, as long as it is unknown.
    /// - Throws: A `ClientError` or `ValidationError`.
    init(
        _ words: [TextArgument],
        _ content: RequestOptions,
        _ files: FileTransferOptions,
        server: HTTPURL? = nil
    ) throws {
        let text = words.last?.text ?? ""
        isRelative = Self.isRelative(text)
        let named =
            try isRelative
            ? Self.resolve(text, at: server ?? HTTPURL("https://localhost")) : ConnectionOptions.url(text)
        url = try files.target(named)
        let given = words.count == 2 ? words[0] : content.method
        let name = given?.text ?? (content.hasBody ? "POST" : files.uploadFile == nil ? "GET" : "PUT")
        guard let method = HTTPRequest.Method(name), name.lowercased() != "connect" else {
            throw ValidationError("The method is not an HTTP method that can be sent.")
        }
        request = HTTPRequest(
            method: method,
            scheme: url.origin.scheme,
            authority: url.origin.authority,
            path: url.target
        )
    }

    /// Whether a URL begins as a path. `//host` names a server, and `host/path` looks like one.
    private static func isRelative(_ text: String) -> Bool {
        let bytes = text.utf8
        if bytes.starts(with: "//".utf8) { return false }
        return ["/", "./", "../"].contains { bytes.starts(with: $0.utf8) }
    }

    /// Resolves a path (RFC 3986) at a server, whose own path is a folder.
    private static func resolve(_ text: String, at server: HTTPURL) throws -> HTTPURL {
        do throws(ClientError) {
            let isFolder = server.path.utf8.last == UInt8(ascii: "/")
            let base = try isFolder ? server : HTTPURL("\(server.origin)\(server.path)/")
            let url = try base.resolving(text)
            guard url.origin == server.origin else { throw .invalidURL }
            return url
        } catch {
            throw ValidationError(ConnectionOptions.message(ofURL: error))
        }
    }
}
