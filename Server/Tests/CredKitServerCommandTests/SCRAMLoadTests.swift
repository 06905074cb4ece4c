// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Old and new clients at once, over a table whose upgrade was killed and resumed.
final class SCRAMLoadTests: XCTestCase {
    private static let userCount = 2000

    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell(programs: ["credkit", "credkit-server"])
        XCTAssertEqual(try shell.run("cp '\(TestScripts.folder.path)'/python_*_client.py .").status, 0)
    }

    override func tearDown() { shell.remove() }

    /// Upgrades the table. Returns the number of records that the killed run had written; all, if it was faster.
    private func upgrade() throws -> Int {
        let outcome = try shell.run(
            """
            python3 - > old <<'END'
            from python_scram_client import equivalent
            for number in range(\(Self.userCount)): print(f"user{number}:" + equivalent(f"password {number}"))
            END
            upgrade="credkit upgrade --as timestamp --to scram-sha-256 --iterations 4096 --keep-equivalent"
            $upgrade --input old --output out 2> /dev/null & child=$!
            # Killed as soon as records are there, while others are missing.
            until [ -s out.partial ] || [ -e out ]; do kill -0 $child || exit; done
            kill -9 $child; wait $child
            if [ -e out ]; then
                wc -l < out
            else
                wc -l < out.partial
                $upgrade --input old --output out --resume || exit
            fi
            [ ! -e out.partial ] && cmp <(sed 's/+.*//' out) old
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return try XCTUnwrap(Int(outcome.text.trimmingCharacters(in: .newlines)))
    }

    func testOldAndNewClientsLogInAtOnceAfterAResumedUpgrade() throws {
        let count = try upgrade()
        XCTAssertTrue(1...Self.userCount ~= count, "\(count)")
        // From the whole table: written before the kill and after it.
        let users = Array(stride(from: 0, to: Self.userCount, by: 50))
        let server = try ServerProcess(
            shell,
            """
            credkit-server --mechanism timestamp --mechanism scram --key-phrase itheima --users out --listen 127.0.0.1:0 \
                --attempts 10000 --mock-key-file mocks
            """
        )
        let outcome = try shell.run(
            "python3 python_scram_client.py load \(server.url) '{\"users\": \(users), \"clients\": 16}'"
        )
        let (right, wrong) = (users.count * 4, users.count)
        XCTAssertEqual(
            outcome.text,
            #"{"new right": {"[[200, \"own\"], [401, -1]]": \#(right)}, "new wrong": {"[[401, -1], [401, -1]]": \#(wrong)}, "#
                + #""old right": {"[[200, \"own\"], [200, -1]]": \#(right)}, "#
                + #""old wrong": {"[[200, -1], [200, -1]]": \#(wrong)}}"# + "\n",
            outcome.errors
        )
        XCTAssertEqual(server.stop(), 0)
        for mechanism in ["scram", "timestamped"] {
            let summary = "\(right) logins by the mechanism \(mechanism), of \(users.count) users"
            XCTAssertTrue(server.errors.contains(summary), server.errors)
        }
        XCTAssertFalse(server.errors.contains("password"), "a password is in the log")
        print("\(count) of \(Self.userCount) records before the kill")
    }
}
