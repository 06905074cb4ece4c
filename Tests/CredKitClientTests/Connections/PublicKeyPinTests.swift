// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitClient

final class PublicKeyPinTests: XCTestCase {
    private let pin = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    func testPinIsBase64OfADigest() throws {
        XCTAssertEqual(try PublicKeyPin(pin).description, pin)
        XCTAssertEqual(
            try PublicKeyPin.list("\(pin);\(pin)"),
            [try PublicKeyPin(pin), try PublicKeyPin(pin)]
        )
    }

    func testAnythingElseIsRefused() {
        let digest = String(pin.dropFirst(8))
        for text in [
            "", "sha256//", digest, "sha256/" + digest, "SHA256//" + digest, "sha1//" + digest, pin + " ",
            " " + pin,
            pin + "\n", String(pin.dropLast()), pin + "=", "sha256//" + digest + digest,
            // Nonzero bits beyond the 32 bytes would be a second spelling of the same digest.
            String(pin.dropLast(2)) + "V=", "sha256//" + digest.replacingOccurrences(of: "+", with: "-"),
            "key.pem", "sha256//\(digest.dropLast(4))\u{212A}FU=",
            "sha256//" + String(repeating: "A", count: 40),
        ] {
            XCTAssertThrowsError(try PublicKeyPin(text), text) {
                XCTAssertEqual($0 as? ClientError, .invalidRequest)
            }
        }
        for text in ["", ";", "\(pin);", ";\(pin)", "\(pin); \(pin)", "\(pin),\(pin)"] {
            XCTAssertThrowsError(try PublicKeyPin.list(text), text)
        }
    }
}
