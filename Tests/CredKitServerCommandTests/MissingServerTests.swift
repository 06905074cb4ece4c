// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if !Server
import CredKitCommandTestSupport
import XCTest

/// `credkit-server` in a build without the trait.
final class MissingServerTests: XCTestCase {
    func testErrorSaysHowToBuildTheServer() throws {
        let shell = try Shell(programs: ["credkit-server"])
        defer { shell.remove() }
        let outcome = try shell.run("credkit-server --key-phrase itheima --users users")
        XCTAssertEqual(outcome.status, 64)
        XCTAssertTrue(outcome.output.isEmpty)
        XCTAssertTrue(
            outcome.errors.hasSuffix("swift build --traits default,Server --product credkit-server\n"),
            outcome.errors
        )
    }
}
#endif
