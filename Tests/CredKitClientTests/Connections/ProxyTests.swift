// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitClient

final class ProxyTests: XCTestCase {
    func testProxyURLsAreParsedAsByCurl() throws {
        for (text, proxy) in [
            ("proxy.example", "http://proxy.example:1080"),
            ("Proxy.Example.:3128", "http://proxy.example:3128"),
            ("http://proxy.example", "http://proxy.example:1080"), ("HTTP://p:80/", "http://p:80"),
            ("https://proxy.example", "https://proxy.example:443"), ("https://p:8443?x#y", "https://p:8443"),
            ("socks5://p", "socks5://p:1080"), ("Socks5h://p:9050/", "socks5://p:9050"),
            ("http://p:", "http://p:1080"),
            ("[2001:DB8:0::1]:3128", "http://[2001:db8::1]:3128"), ("socks5h://[::1]", "socks5://[::1]:1080"),
            ("http://192.0.2.1:3128/path", "http://192.0.2.1:3128"),
        ] { XCTAssertEqual(try Proxy(text).description, proxy, text) }
    }

    func testUserAndPasswordAreDecodedAsByCurl() throws {
        for (text, user, password) in [
            ("http://u:p%40%3aq@proxy", "u", "p@:q"), ("u:p@proxy", "u", "p"), ("u:a:b@proxy", "u", "a:b"),
            ("u@proxy", "u", nil), (":p@proxy", "", "p"), ("@proxy", "", nil), ("u:%zz%@proxy", "u", "%zz%"),
            ("%c3%bc:;%20b@proxy", "\u{FC}", "; b"), ("socks5h://u:@proxy", "u", ""),
        ] as [(String, String, String?)] {
            let parsed = try ProxyText(text)
            XCTAssertEqual(parsed.username, user, text)
            XCTAssertEqual(parsed.password, try password.map { try SecretBytes($0) }, text)
            let credentials = ProxyCredentials(username: user, password: try SecretBytes(password ?? ""))
            XCTAssertEqual(try parsed.proxy().credentials, credentials, text)
        }
        // A password may contain any bytes.
        XCTAssertEqual(try ProxyText("u:%ff@proxy").password, try SecretBytes([0xFF]))
    }

    func testInvalidProxiesAreRefusedWithoutShowingThePassword() throws {
        for text in [
            "", "http://", "socks4://p", "socks4a://p", "socks://p", "ftp://p", "http:p", "//p", "http:/p",
            "p:", "p:0",
            "p:65536", "p:x", "p:+1", "p:80:80", " p", "p ", "p\n", "p\0q", "soc\u{212A}s5://p", "\u{212A}",
            "http://a b",
            "[::1", "[::1%25eth0]", "::1", "[127.0.0.1]", "127.1", "socks5://localhost/run/socks",
            "socks5://p?x",
            "u:hunter2@", "u:hunter2@a@p", "u:hunter2%0a@p", "u%3ahunter2:x@p", "u%0a:hunter2@p",
            "u%00:hunter2@p", "u%ff:hunter2@p", "socks5://:hunter2@p", "hunter2://u:p@q", "u:hunter2@p:x",
            "socks5h://\(String(repeating: "u", count: 256)):hunter2@p",
            "socks5h://u:\(String(repeating: "hunter2", count: 40))@p",
        ] {
            XCTAssertThrowsError(try ProxyText(text).proxy(), text) { error in
                XCTAssertEqual(error as? ClientError, .invalidRequest, text)
                XCTAssertFalse("\(error)".contains("hunter2"), "\(error)")
            }
        }
        for text in ["u@p", "u:p@p", "@p"] { XCTAssertThrowsError(try Proxy(text), text) }
        XCTAssertThrowsError(try Proxy(scheme: .http, host: "a/b", port: 80))
        XCTAssertThrowsError(try Proxy(scheme: .http, host: "a", port: 0))
    }

    func testCredentialsAreNotPrinted() throws {
        let credentials = ProxyCredentials(username: "alice", password: try SecretBytes("hunter2"))
        let proxy = try Proxy("http://p:80", credentials: credentials)
        var settings = ConnectionSettings()
        settings.proxy = .proxy(proxy)
        var dumped = ""
        dump(settings, to: &dumped)
        for text in [
            "\(proxy)", "\(credentials)", "\(settings)", "\(settings.proxy)", dumped,
            String(reflecting: proxy),
        ] {
            XCTAssertFalse(text.contains("hunter2"), text)
        }
    }

    func testProxiesAreEqualOnlyIfAllFieldsAre() throws {
        let make = { (user: String, password: String) in
            try Proxy("p", credentials: ProxyCredentials(username: user, password: SecretBytes(password)))
        }
        XCTAssertEqual(try make("a", "b"), try make("a", "b"))
        XCTAssertEqual(try make("a", "b").hashValue, try make("a", "c").hashValue)
        XCTAssertNotEqual(try make("a", "b"), try make("a", "c"))
        XCTAssertNotEqual(try make("a", "b"), try make("b", "b"))
        // Two names that look alike are two different users.
        XCTAssertNotEqual(try make("\u{E9}", "b"), try make("e\u{301}", "b"))
        XCTAssertNotEqual(try make("a", "b"), try Proxy("p"))
        XCTAssertNotEqual(try Proxy("p"), try Proxy("p:81"))
        XCTAssertNotEqual(try Proxy("p"), try Proxy("https://p:1080"))
    }
}
