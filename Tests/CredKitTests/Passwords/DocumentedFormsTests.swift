// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKit

final class DocumentedFormsTests: XCTestCase {
    private func page() throws -> String {
        let file = TestScripts.root.appending(path: "docs/hash-formats.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The names that are read stand in the lists of forms, the refused ones in that of reasons.
    func testPageOfFormsNamesEveryPrefix() throws {
        let parts = try page().components(separatedBy: "\nRefused, with the reason in the error:\n")
        XCTAssertEqual(parts.count, 2)
        let refused = try XCTUnwrap(parts.last?.components(separatedBy: "\n#").first)
        for entry in HashPrefixes.all {
            guard case .refused = entry.content else {
                XCTAssertTrue(parts[0].contains(entry.prefix), "\(entry.prefix) is read, and not in the page")
                continue
            }
            XCTAssertTrue(
                refused.contains("`\(entry.prefix)`"),
                "\(entry.prefix) is refused, and not in the page"
            )
        }
        let known = Set(HashPrefixes.all.map { $0.name.lowercased() })
        let named = refused.components(separatedBy: "`{").dropFirst().compactMap {
            $0.split(separator: "}").first.map { $0.lowercased() }
        }
        XCTAssertGreaterThan(named.count, 20)
        XCTAssertEqual(named.filter { !known.contains($0) && !$0.hasPrefix("aes-") }, [])
    }

    /// What `--for` writes is in its list.
    func testPageOfFormsNamesWhatEachSystemReads() throws {
        for system in PasswordHash.PrefixSystem.allCases where !system.schemes.isEmpty {
            let items = try page().components(separatedBy: "\n- ")
            let item = try XCTUnwrap(items.first { $0.hasPrefix("`\(system.name)`: ") })
            let row = item.components(separatedBy: "\n\n")[0]
            for scheme in system.schemes {
                let prefix = try XCTUnwrap(system.prefix(of: scheme))
                XCTAssertTrue(row.contains("`\(prefix)`"), "\(system.name): \(prefix)")
                XCTAssertTrue(prefix != "{CRYPT}" || row.contains(scheme.name), "\(system.name): \(scheme)")
            }
        }
    }

    func testPageOfFormsNamesEveryScheme() throws {
        let page = try page()
        // Each piece of code that stands in an item of a list.
        let words = page.split(separator: "\n").filter { $0.hasPrefix("- ") || $0.hasPrefix("  ") }
            .flatMap { $0.split(separator: "`").map(String.init) }
        let schemes = PasswordHash.Scheme.all.map(\.name)
        XCTAssertGreaterThan(schemes.count, 40)
        XCTAssertEqual(schemes.filter { !Set(words).contains($0) }, [], "not in docs/hash-formats.md")
    }
}
