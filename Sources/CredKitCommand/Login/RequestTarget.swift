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
    /// - Throws: A `ClientError` or `ValidationError`.
    init(_ words: [TextArgument], _ content: RequestOptions, _ files: FileTransferOptions) throws {
        url = try files.target(try ConnectionOptions.url(words.last?.text ?? ""))
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
}
