// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// `docs/passkeys.md`
@Suite struct PasskeyGuideTests {
    @Test func theServerIsPrintedAsItIsCompiled() throws {
        let file = "Server/Examples/Hummingbird/PasskeyRoutes.swift"
        let source = try String(
            contentsOf: TestScripts.root.appendingPathComponent(file),
            encoding: .utf8
        )
        let page = try String(
            contentsOf: TestScripts.root.appendingPathComponent("docs/passkeys.md"),
            encoding: .utf8
        )
        let code = try #require(source.components(separatedBy: "docs/passkeys.md.\n").last)
        #expect(page.contains("```swift\n\(code)```"))
    }
}
