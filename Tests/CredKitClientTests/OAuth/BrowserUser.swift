// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

/// A user whose browser follows redirects and sends the forms of pages: `browser_user.py`.
final class BrowserUser: Sendable {
    /// The last page that the browser got.
    struct Page: Decodable, Sendable {
        let status: Int
        let url: String
        let headers: [String: String]
        let body: String
    }

    private let pages = Lock<[Task<Page, any Error>]>([])
    private let seen = Lock<[String]>([])

    /// The URLs that were opened.
    var urls: [String] { seen.withLock { $0 } }

    /// Opens a URL, and returns at once.
    func open(_ url: String) {
        let task = Task.detached { () throws -> Page in
            let outcome = try Program.run(["python3", TestScripts.path("browser_user.py"), url])
            return try JSONDecoder().decode(Page.self, from: outcome.output)
        }
        // First: who sees the URL asks for its page.
        pages.withLock { $0.append(task) }
        seen.withLock { $0.append(url) }
    }

    /// Waits for the page of the first URL, or of another one.
    func page(_ number: Int = 0) async throws -> Page {
        let task = try XCTUnwrap(pages.withLock { $0.dropFirst(number).first })
        return try await task.value
    }
}
