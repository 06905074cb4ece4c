// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The pages of a ``CallbackServer``. They are constant: nothing of a request or of a server is in them, and no script and no
/// link.
enum CallbackPage: Sendable, CaseIterable {
    /// The user is logged in, and the login is saved.
    case succeeded
    /// The user or the authorization server refused.
    case refused
    /// The login failed after the browser's answer.
    case failed
    /// This is not the answer that the login waits for.
    case wrong
    /// There is no such page.
    case notFound
    /// The server does not answer requests with this method.
    case wrongMethod

    /// The page at the end of a login.
    init(_ ending: CallbackEnding) {
        self =
            switch ending {
            case .succeeded: .succeeded
            case .refused: .refused
            case .failed: .failed
            }
    }

    /// The styles of all pages. The policy below allows these alone.
    static let style =
        ":root{color-scheme:light dark}body{max-width:32rem;"
        + "margin:20vh auto 0;padding:0 1rem;font:1.1rem/1.5 system-ui,sans-serif}"
    /// The SHA-256 hash of the styles, in base64.
    static let styleHash = "SQxeA8VKbuYeV7+zKgDSgmWzTqP6f8wZ6vsTZ37t9bQ="

    /// The status line's number and reason.
    private var status: String {
        switch self {
        case .succeeded, .refused, .failed: "200 OK"
        case .wrong: "400 Bad Request"
        case .notFound: "404 Not Found"
        case .wrongMethod: "405 Method Not Allowed"
        }
    }

    private var text: (title: String, explanation: String) {
        switch self {
        case .succeeded: ("You are logged in", "You can close this page and go back to the program.")
        case .refused: ("The login was refused", "The program says more. You can close this page.")
        case .failed: ("The login failed", "The program says why. You can close this page.")
        case .wrong:
            ("Not the expected answer", "The program still waits for its login. Use the page that it opened.")
        case .notFound: ("Not found", "There is nothing here.")
        case .wrongMethod: ("Method not allowed", "There is nothing here.")
        }
    }

    /// The document.
    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>\(text.title)</title>
        <meta name="viewport" content="width=device-width"><style>\(Self.style)</style></head>
        <body><main><h1>\(text.title)</h1><p>\(text.explanation)</p></main></body></html>

        """
    }

    /// Returns the whole response.
    ///
    /// - Parameter isHead: Whether the request's method is `HEAD`, so that the document is left out.
    /// - Returns: Its bytes.
    func response(isHead: Bool = false) -> [UInt8] {
        let body = Array(html.utf8)
        let lines = [
            "HTTP/1.1 \(status)",
            "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(body.count)",
            "Content-Security-Policy: default-src 'none'; style-src 'sha256-\(Self.styleHash)'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Cache-Control: no-store",
            "Referrer-Policy: no-referrer",
            "X-Content-Type-Options: nosniff",
            "Connection: close",
        ]
        let head =
            lines.map { $0 + "\r\n" }.joined() + (self == .wrongMethod ? "Allow: GET\r\n" : "") + "\r\n"
        return Array(head.utf8) + (isHead ? [] : body)
    }
}
