// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitClient

final class HostResolutionTests: XCTestCase {
    func testCurlResolveSyntaxIsParsed() throws {
        for (text, host, port, addresses) in [
            ("a.example:443:127.0.0.1", "a.example", 443, ["127.0.0.1"]),
            ("A.Example.:80:192.0.2.1,[2001:DB8:0::1]", "a.example", 80, ["192.0.2.1", "2001:db8::1"]),
            ("a.example:80:2001:db8::1", "a.example", 80, ["2001:db8::1"]),
            ("a.example:80:::1", "a.example", 80, ["::1"]),
            ("[2001:db8:0::2]:443:[::1]", "[2001:db8::2]", 443, ["::1"]),
            ("192.0.2.1:65535:192.0.2.2", "192.0.2.1", 65535, ["192.0.2.2"]),
        ] as [(String, String, UInt16, [String])] {
            let resolution = try HostResolution(text)
            XCTAssertEqual(resolution.host, host, text)
            XCTAssertEqual(resolution.port, port, text)
            XCTAssertEqual(resolution.addresses, addresses, text)
        }
    }

    func testAnythingElseIsRefused() {
        for text in [
            "", ":", "::", "a", "a:443", "a:443:", "a:443:b", "a:443:127.1", "a:443:0127.0.0.1",
            "a:0:127.0.0.1",
            "a:65536:127.0.0.1", "a:+80:127.0.0.1", "a:8 :127.0.0.1", ":80:127.0.0.1", "*:80:127.0.0.1",
            "-a:80",
            "+a:80:127.0.0.1:80", "a b:80:127.0.0.1", "a:80:127.0.0.1,", "a:80:,127.0.0.1",
            "a:80:[127.0.0.1]",
            "a:80:[::1", "a:80:::1]", "a:80:fe80::1%eth0", "[::1:80:127.0.0.1", "::1:80:127.0.0.1",
            "a:80:127.0.0.1\0", "a\0:80:127.0.0.1", "a:80:127.0.0.1 ", "b\u{FC}cher.example:80:127.0.0.1",
            "127.1:80:127.0.0.1",
        ] {
            XCTAssertThrowsError(try HostResolution(text), text) {
                XCTAssertEqual($0 as? ClientError, .invalidRequest, text)
            }
        }
        XCTAssertThrowsError(try HostResolution(host: "a", port: 80, addresses: []))
        XCTAssertThrowsError(try HostResolution(host: "a", port: 0, addresses: ["::1"]))
    }

    func testResolutionIsLoopbackIfAllAddressesAre() throws {
        for (addresses, isLoopback) in [
            (["127.0.0.1"], true), (["127.255.0.9", "::1"], true), (["126.0.0.1"], false), (["::"], false),
            (["127.0.0.1", "192.0.2.1"], false), (["::ffff:127.0.0.1"], false), (["100::1"], false),
            (["0.0.0.0"], false),
        ] {
            let resolution = try HostResolution(host: "a", port: 80, addresses: addresses)
            XCTAssertEqual(resolution.isLoopback, isLoopback, "\(addresses)")
        }
    }
}
