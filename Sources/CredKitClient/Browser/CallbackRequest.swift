// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A request to a ``CallbackServer``: what a browser, or any program of this user, says.
struct CallbackRequest: Sendable {
    /// The most parameters.
    static let maximumParameterCount = 100

    /// The method, such as `GET`.
    let method: String
    /// The path as it was sent; it begins with a slash.
    let path: String
    /// The value of `Host`, in lower case.
    let host: String
    /// The value of `Sec-Fetch-Dest`: what the browser wants the answer for; `nil` if there is none.
    let secFetchDest: String?
    /// The names and values of the query, or of the form that was posted, decoded and in their order. A name may be repeated.
    let parameters: [(String, String)]

    /// Parses a request.
    ///
    /// - Parameters:
    ///   - head: All lines of the head, each with CR and LF at its end, and the empty one.
    ///   - body: The body.
    init?(parsing head: [UInt8], body: [UInt8] = []) {
        guard let head = CallbackHead(parsing: head) else { return nil }
        self.init(head, body: body)
    }

    /// Reads the parameters of a request.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - body: The whole body.
    init?(_ head: CallbackHead, body: [UInt8]) {
        var form = head.query ?? ""
        if head.method == "POST" {
            // With parameters at both places, it would not be clear which ones count.
            guard head.query == nil, head.contentType == "application/x-www-form-urlencoded",
                let text = String(validating: body, as: UTF8.self)
            else { return nil }
            form = text
        } else if !body.isEmpty {
            return nil
        }
        guard let pairs = FormText(form[...]).decoded, pairs.count <= Self.maximumParameterCount else {
            return nil
        }
        (method, path, host, secFetchDest) = (head.method, head.path, head.host, head.secFetchDest)
        parameters = pairs.map { ($0.key, $0.value) }
    }
}
