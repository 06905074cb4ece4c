// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import XCTest

/// Tests that run scripts with the command, each in a home of its own.
class ShellTestCase: XCTestCase {
    private(set) var shell: Shell!

    /// What each script begins with.
    var prefix = ""

    override func setUpWithError() throws { shell = try Shell() }

    override func tearDown() { shell?.remove() }

    /// Runs a script, which must end with an exit status.
    @discardableResult
    func run(_ script: String, _ status: Int32 = 0, line: UInt = #line) throws -> Shell.Outcome {
        let outcome = try shell.run(prefix + script)
        XCTAssertEqual(outcome.status, status, "\(script): \(outcome.errors)", line: line)
        return outcome
    }
}
