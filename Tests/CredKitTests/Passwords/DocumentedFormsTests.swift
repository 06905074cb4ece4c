// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

final class DocumentedFormsTests: XCTestCase {
    func testPageOfFormsNamesEveryScheme() throws {
        let file = TestScripts.root.appending(path: "docs/hash-formats.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        // Each piece of code that stands in a row of a table.
        let words = page.split(separator: "\n").filter { $0.hasPrefix("|") }
            .flatMap { $0.split(separator: "`").map(String.init) }
        let schemes = PasswordHash.Scheme.all.map(\.name)
        XCTAssertGreaterThan(schemes.count, 40)
        XCTAssertEqual(schemes.filter { !Set(words).contains($0) }, [], "not in docs/hash-formats.md")
    }
}
