// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitServerCommand
import HTTPTypes
import XCTest

/// The client's address from what proxies state (RFC 7239, and X-Forwarded-For).
final class TrustedProxiesTests: XCTestCase {
    private let ranges = ["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"]

    /// Returns the origin of a request that came from a peer with headers of one name.
    private func origin(
        _ header: TrustedProxies.Header,
        from peer: String = "127.0.0.1",
        _ values: [String],
        others: [(String, String)] = []
    ) throws -> TrustedProxies.Origin {
        var headers = HTTPFields()
        let name = try XCTUnwrap(HTTPField.Name(header.rawValue))
        for value in values { headers.append(HTTPField(name: name, value: value)) }
        for (name, value) in others {
            headers.append(HTTPField(name: try XCTUnwrap(HTTPField.Name(name)), value: value))
        }
        let ranges = try ranges.map { try XCTUnwrap(AddressRange(argument: $0), $0) }
        return TrustedProxies(ranges: ranges, header: header).origin(peer: peer, headers)
    }

    func testOnlyTrustedPeersStateTheClient() throws {
        for peer in [
            "192.0.2.9", "2001:db8:2::1", "::1", "unknown", "fe80::1%eth0", "11.0.0.1", "9.255.255.255",
        ] {
            for (header, value) in [
                (TrustedProxies.Header.xForwardedFor, "198.51.100.7"), (.forwarded, "for=198.51.100.7"),
            ] {
                let origin = try origin(header, from: peer, [value], others: [("x-forwarded-proto", "https")])
                XCTAssertEqual(origin, TrustedProxies.Origin(address: peer))
            }
        }
        for peer in ["127.0.0.1", "10.255.0.1", "::ffff:10.0.0.1", "2001:db8:1:ffff::9"] {
            let origin = try origin(.xForwardedFor, from: peer, ["198.51.100.7"])
            XCTAssertEqual(origin.address, "198.51.100.7", peer)
            XCTAssertTrue(origin.isForwarded)
        }
    }

    func testRightmostUntrustedAddressCounts() throws {
        for (values, address) in [
            (["203.0.113.1, 198.51.100.7"], "198.51.100.7"),
            (["203.0.113.1", "198.51.100.7"], "198.51.100.7"),
            (["198.51.100.7, 10.1.1.1, 2001:db8:1::5"], "198.51.100.7"),
            (["6.6.6.6,198.51.100.7", "10.1.1.1"], "198.51.100.7"),
            (["198.51.100.7\t, \t10.1.1.1 "], "198.51.100.7"),
            (["[2001:db8::9]:4711, 10.1.1.1"], "2001:db8::9"),
            (["2001:DB8:0::9"], "2001:db8::9"), (["[2001:db8::9]"], "2001:db8::9"),
            (["198.51.100.7:443"], "198.51.100.7"), (["::ffff:198.51.100.7"], "198.51.100.7"),
            (["10.1.1.1, 10.1.1.2"], "10.1.1.1"), ([], "127.0.0.1"),
        ] {
            XCTAssertEqual(try origin(.xForwardedFor, values).address, address, "\(values)")
        }
    }

    func testReadingEndsAtHiddenAndMalformedEntries() throws {
        for entry in [
            "unknown", "UNKNOWN", "_hidden", "_SEVKISEK:4711", "", " ", "x", "198.51.100", "198.51.100.07",
            "256.1.1.1",
            "198.51.100.7:", "198.51.100.7:65536", "198.51.100.7:-1", "198.51.100.7:+1",
            "198.51.100.7:000001", "[198.51.100.7]",
            "[2001:db8::9", "2001:db8::9]", "[2001:db8::9]x", "[2001:db8::9]:", "[2001:db8::g]",
            "fe80::1%eth0", "1:2:3",
            "\"198.51.100.7\"", "198.51.100.7 198.51.100.8", "0x7f.1", "2130706433", "198.51.100.7;", "_",
            "_a b",
            "198.51.100.7\u{301}", String(repeating: "1", count: 300),
        ] {
            XCTAssertEqual(try origin(.xForwardedFor, [entry]).address, "127.0.0.1", entry)
            XCTAssertEqual(try origin(.xForwardedFor, ["6.6.6.6, \(entry)"]).address, "127.0.0.1", entry)
            XCTAssertEqual(
                try origin(.xForwardedFor, ["6.6.6.6, \(entry), 10.0.0.2"]).address,
                "10.0.0.2",
                entry
            )
            // What a client sends does not hide its own address.
            XCTAssertEqual(
                try origin(.xForwardedFor, ["\(entry), 198.51.100.7"]).address,
                "198.51.100.7",
                entry
            )
        }
    }

    func testForwardedIsReadAsTheRFCDefinesIt() throws {
        for (values, address, isEncrypted) in [
            // The examples of RFC 7239, sections 4, 6 and 7.
            (["for=\"_gazonk\""], "127.0.0.1", false),
            (["For=\"[2001:db8:cafe::17]:4711\""], "2001:db8:cafe::17", false),
            (["for=192.0.2.60;proto=http;by=203.0.113.43"], "192.0.2.60", false),
            (["for=192.0.2.43, for=198.51.100.17"], "198.51.100.17", false),
            (["for=_hidden, for=_SEVKISEK"], "127.0.0.1", false),
            (["for=192.0.2.43,for=\"[2001:db8:cafe::17]\",for=unknown"], "127.0.0.1", false),
            (["for=192.0.2.43", "for=\"[2001:db8:cafe::17]\", for=10.0.0.1"], "2001:db8:cafe::17", false),
            (["for=\"192.0.2.43:47011\";PROTO=HTTPS"], "192.0.2.43", true),
            // The scheme is the one of the proxy that states the client.
            (["for=192.0.2.43;proto=https, for=10.0.0.1;proto=http"], "192.0.2.43", true),
            (["for=192.0.2.43;proto=http, for=10.0.0.1;proto=https"], "192.0.2.43", false),
            (["for=6.6.6.6;proto=https,  for=192.0.2.43"], "192.0.2.43", false),
            (["for=\"192.0.2.\\43\", , ;for=10.0.0.2;;host=\"a, for=6.6.6.6\""], "192.0.2.43", false),
            (["for=192.0.2.43;host=\"a\\\", for=6.6.6.6\""], "192.0.2.43", false),
            (["", "for=192.0.2.43", " , "], "192.0.2.43", false),
            (["proto=https"], "127.0.0.1", false), (["for=10.0.0.1;proto=https"], "10.0.0.1", true),
        ] {
            let origin = try origin(.forwarded, values)
            XCTAssertEqual(origin.address, address, "\(values)")
            XCTAssertEqual(origin.isEncrypted, isEncrypted, "\(values)")
        }
    }

    func testMalformedForwardedIsNotBelieved() throws {
        for value in [
            "for=192.0.2.43;for=192.0.2.44", "for=[2001:db8::1]", "for=2001:db8::1", "for=\"2001:db8::1\"",
            "for=192.0.2.43:80",
            "for", "for=", "for =192.0.2.43", "for= 192.0.2.43", "for=192.0.2.43 proto=https", "=192.0.2.43",
            "for=\"192.0.2.43", "for=\"192.0.2.43\\", "for=\"192.0.2.43\"x", "for=192.0.2.43\"",
            "for=192.0.2.43, x y",
            "for=\"x, for=192.0.2.43", "for=\"x, for=\"[2001:db8::1]\"", "for=\"192.0.2.43\u{7F}\"",
            "192.0.2.43",
        ] {
            XCTAssertEqual(try origin(.forwarded, [value]).address, "127.0.0.1", value)
            XCTAssertEqual(try origin(.forwarded, ["for=6.6.6.6", value]).address, "127.0.0.1", value)
            XCTAssertEqual(try origin(.forwarded, [value, "for=192.0.2.50"]).address, "192.0.2.50", value)
        }
    }

    func testHeaderThatProxiesPassOnIsIgnored() throws {
        let other = [("forwarded", "for=6.6.6.6;proto=https")]
        XCTAssertEqual(try origin(.xForwardedFor, ["198.51.100.7"], others: other).address, "198.51.100.7")
        XCTAssertEqual(try origin(.xForwardedFor, [], others: other).address, "127.0.0.1")
        XCTAssertEqual(
            try origin(.forwarded, [], others: [("x-forwarded-for", "6.6.6.6")]).address,
            "127.0.0.1"
        )
        XCTAssertFalse(
            try origin(.forwarded, ["for=192.0.2.1"], others: [("x-forwarded-proto", "https")]).isEncrypted
        )
    }

    func testForwardedSchemeIsBelievedIfItIsUnambiguous() throws {
        for (values, isEncrypted) in [
            (["https"], true), (["HTTPS"], true), (["http"], false), (["https", "http"], false),
            (["https", "https"], false),
            (["https,http"], false), ([""], false), ([], false),
        ] {
            let origin = try origin(
                .xForwardedFor,
                ["192.0.2.1"],
                others: values.map { ("x-forwarded-proto", $0) }
            )
            XCTAssertEqual(origin.isEncrypted, isEncrypted, "\(values)")
        }
    }

    func testRangesAreParsedStrictly() {
        for text in [
            "0.0.0.0/0", "::/0", "10.0.0.1/8", "10.0.0.0/33", "2001:db8::/129", "2001:db8::1/32", "10.0.0.0/",
            "/8", "10/8", "",
            "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/8/8", "localhost", "10.0.0.0/255.0.0.0", "[::1]",
            "10.0.0.0 /8", "fe80::1%1",
        ] {
            XCTAssertNil(AddressRange(argument: text), text)
        }
        for (range, inside, outside) in [
            ("192.0.2.128/25", "192.0.2.255", "192.0.2.127"), ("192.0.2.1/32", "192.0.2.1", "192.0.2.0"),
            ("2001:db8::/127", "2001:db8::1", "2001:db8::2"), ("::ffff:0:0/96", "192.0.2.1", "::1"),
            ("128.0.0.0/1", "255.0.0.1", "127.0.0.1"), ("128.0.0.0/1", "::ffff:128.0.0.1", "8000::1"),
        ] {
            XCTAssertEqual(
                AddressRange(argument: range)?.contains(NetworkAddress(inside)!),
                true,
                "\(range) \(inside)"
            )
            XCTAssertEqual(
                AddressRange(argument: range)?.contains(NetworkAddress(outside)!),
                false,
                "\(range) \(outside)"
            )
        }
    }
}
