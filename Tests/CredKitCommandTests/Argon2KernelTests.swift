// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `CREDKIT_KERNELS` selects what computes Argon2 in a process.
final class Argon2KernelTests: XCTestCase {
    /// Of the argon2 command, with the password "password".
    private static let argon2d =
        "$argon2d$v=19$m=32,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$TN/Ct9AAYJV3u9JWqgQwDtjm6nK+4a47TJmUYnGwEwk"

    func testEachKernelVerifiesWhatTheOthersHash() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let all = ["avx512", "avx2", "ssse3", "portable", "reference"]
        for (hashing, verifying) in zip(all, all.dropFirst() + all.prefix(1)) {
            let outcome = try shell.run(
                """
                printf secret | CREDKIT_KERNELS=\(hashing) credkit hash argon2id --memory 64KiB > record
                printf secret | CREDKIT_KERNELS=\(verifying) credkit verify --hash-file record
                """
            )
            XCTAssertEqual(outcome.text, "match\n", "\(hashing), \(verifying): \(outcome.errors)")
        }
    }

    func testReferenceIsLibsodium() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let vectorized = try shell.run("printf password | credkit verify '\(Self.argon2d)'")
        XCTAssertEqual(vectorized.text, "match\n", vectorized.errors)
        let reference = try shell.run(
            "printf password | CREDKIT_KERNELS=reference credkit verify '\(Self.argon2d)'"
        )
        XCTAssertEqual(reference.status, 65)
        XCTAssertTrue(reference.errors.contains("libsodium cannot compute"), reference.errors)
    }
}
