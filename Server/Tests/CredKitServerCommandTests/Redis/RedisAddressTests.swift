// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import XCTest

@testable import CredKitServerCommand

/// The URLs of Redis.
final class RedisAddressTests: XCTestCase {
    private func assertAddress(
        _ text: String,
        _ endpoints: [RedisEndpoint],
        name: String? = nil,
        tls: Bool = false,
        user: String? = nil,
        line: UInt = #line
    ) throws {
        let address = try RedisAddress(text)
        XCTAssertEqual(address.endpoints, endpoints, line: line)
        XCTAssertEqual(address.primaryName, name, line: line)
        XCTAssertEqual(address.usesTLS, tls, line: line)
        XCTAssertEqual(address.user, user, line: line)
    }

    func testURLsNameServersAndSentinels() throws {
        try assertAddress("redis://localhost", [.host("localhost", 6379)])
        try assertAddress("redis://10.0.0.1:7000/", [.host("10.0.0.1", 7000)])
        try assertAddress("rediss://cache.school.test:6380/0", [.host("cache.school.test", 6380)], tls: true)
        try assertAddress("redis://[::1]", [.host("::1", 6379)])
        try assertAddress("redis://[2001:db8::1]:1", [.host("2001:db8::1", 1)])
        try assertAddress("redis://my_app@h", [.host("h", 6379)], user: "my_app")
        try assertAddress("redis://a%40b%3Ac@h:65535", [.host("h", 65535)], user: "a@b:c")
        try assertAddress("unix:///run/redis/redis.sock", [.socket("/run/redis/redis.sock")])
        try assertAddress(
            "redis+sentinel://a,b:1,[::1]:2/shop-1.x",
            [.host("a", 26379), .host("b", 1), .host("::1", 2)],
            name: "shop-1.x"
        )
        try assertAddress(
            "rediss+sentinel://app@a/shop",
            [.host("a", 26379)],
            name: "shop",
            tls: true,
            user: "app"
        )
    }

    func testPasswordIsRefusedWithoutShowingIt() {
        for text in [
            "redis://app:s3cret@h", "redis://:s3cret@h", "redis://app:@h", "redis+sentinel://a:s3cret@h/n",
        ] {
            XCTAssertThrowsError(try RedisAddress(text), text) { error in
                let message = (error as? RedisAddress.Failure)?.message ?? ""
                XCTAssertTrue(message.contains("--state-password-file"), message)
                XCTAssertFalse(message.contains("s3cret"), message)
            }
        }
    }

    func testOtherTextsAreRefused() {
        let texts = [
            "", "redis", "redis:", "redis:/h", "redis://", "redis://:6379", "http://h", "REDIS://h",
            "redis://h:0",
            "redis://h:65536", "redis://h:", "redis://h:+1", "redis://h:1a", "redis://h/1", "redis://h/0/",
            "redis://h?db=1",
            "redis://h#x", "redis://@h", "redis://%zz@h", "redis://%@h", "redis://%ff@h", "redis://%+1@h",
            "redis://%-0@h",
            "redis://a,b",
            "redis://a b", "redis://a\0b", "redis://[::1", "redis://::1", "redis://[::1]x", "redis://[h]",
            "redis://[]",
            "redis://bücher.test", "redis://h\\", "unix://", "unix://a", "unix://h/a", "unix:///a?b",
            "unix:///" + String(repeating: "a", count: 107), "redis+sentinel://a", "redis+sentinel://a/",
            "redis+sentinel://a/b/c", "redis+sentinel:///n", "redis+sentinel://a,,b/n",
            "redis+sentinel://a/n m",
            "redis+sentinel://" + Array(repeating: "a", count: 33).joined(separator: ",") + "/n",
            "redis://" + String(repeating: "a", count: 254),
            "redis://" + String(repeating: "a", count: 10_000),
        ]
        for text in texts { XCTAssertThrowsError(try RedisAddress(text), text) }
    }

    func testAddressesOfThisMachineAreTold() {
        for host in ["localhost", "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
            XCTAssertTrue(RedisAddress.isLoopback(host), host)
        }
        for host in ["127.evil.test", "10.0.0.1", "localhost.test", "::2", "::ffff:10.0.0.1", ""] {
            XCTAssertFalse(RedisAddress.isLoopback(host), host)
        }
    }

    func testSentinelsNameHostsOnly() {
        func endpoint(_ parts: RESPReply...) -> RedisEndpoint? { RedisAddress.endpoint(.array(parts)) }
        func text(_ text: String) -> RESPReply { .bytes(Array(text.utf8)) }
        XCTAssertEqual(endpoint(text("10.0.0.1"), text("6379")), .host("10.0.0.1", 6379))
        XCTAssertEqual(endpoint(text("2001:db8::1"), text("1")), .host("2001:db8::1", 1))
        XCTAssertEqual(endpoint(text("cache.test"), text("1")), .host("cache.test", 1))
        for (host, port) in [
            ("", "1"), ("a/b", "1"), ("a", "0"), ("a", "x"), ("a", "65536"), ("a b", "1"), ("a\n", "1"),
        ] {
            XCTAssertNil(endpoint(text(host), text(port)), host)
        }
        XCTAssertNil(endpoint(text("a")))
        XCTAssertNil(endpoint(text("a"), .integer(1)))
        XCTAssertNil(endpoint(.bytes([0xFF]), text("1")))
        XCTAssertNil(RedisAddress.endpoint(.null))
    }
}
