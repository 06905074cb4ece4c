// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// Tests with a folder of `pass`, and keys of their own.
class PassTestCase: XCTestCase {
    private static let home = Lock("")
    var folder = ""

    /// Makes two keys once, in a home of `gpg` that this process keeps.
    override func setUpWithError() throws {
        folder = try TemporaryFolder.make()
        try Self.home.withLock { home in
            guard home.isEmpty else { return }
            home = try TemporaryFolder.make()
            setenv("GNUPGHOME", home, 1)
            for name in ["first@example", "second@example"] {
                let made = try run(
                    "gpg --batch --quiet --passphrase '' --quick-generate-key \(name) default default never"
                )
                XCTAssertEqual(made.status, 0, made.errors)
            }
        }
    }

    override func tearDown() { TemporaryFolder.remove(folder) }

    override class func tearDown() {
        home.withLock { home in
            guard !home.isEmpty else { return }
            _ = try? Program.run(["gpgconf", "--kill", "gpg-agent"])
            TemporaryFolder.remove(home)
            home = ""
        }
    }

    func run(_ script: String) throws -> Program.Outcome {
        var environment = ProcessInfo.processInfo.environment
        environment["PASSWORD_STORE_DIR"] = folder
        environment["GNUPGHOME"] = getenv("GNUPGHOME").map { String(cString: $0) }
        return try Program.run(["/bin/bash", "-c", script], environment: environment, errors: .kept)
    }

    func succeed(_ script: String, line: UInt = #line) throws -> Data {
        let outcome = try run(script)
        XCTAssertEqual(outcome.status, 0, outcome.errors, line: line)
        return outcome.output
    }

    func item(_ service: String, _ account: String?, _ secret: String) throws -> Credential {
        let key = CredentialKey(service: service, account: account)
        return Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
    }

    func bytes(_ secret: SecretBytes) -> [UInt8] {
        secret.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}
