// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// The values of components. The examples are those of RFC 9421 §2 unless a comment says otherwise.
final class SignatureBaseTests: XCTestCase {
    private typealias Component = MessageSignature.Component
    private typealias Field = MessageSignature.Field

    private func value(
        _ component: Component,
        _ message: MessageSignature.Message
    ) throws -> String {
        let input = try MessageSignature.Input([component], parameters: .init())
        let base = String(decoding: try input.signatureBase(of: message), as: UTF8.self)
        let lines = base.split(separator: "\n", omittingEmptySubsequences: false)
        XCTAssertEqual(lines.count, 2)
        XCTAssertEqual(lines.last, "\"@signature-params\": (\(component.description))")
        let prefix = "\(component.description): "
        XCTAssertTrue(lines[0].hasPrefix(prefix))
        return String(lines[0].dropFirst(prefix.count))
    }

    private func request(
        _ method: String = "GET",
        _ authority: String = "www.example.com",
        _ path: String = "/path",
        query: String? = nil,
        scheme: String = "https",
        target: String? = nil,
        fields: [(String, String)] = []
    ) -> MessageSignature.Message {
        .request(
            .init(
                method: method,
                scheme: scheme,
                authority: authority,
                path: path,
                query: query,
                target: target,
                fields: fields.map { Field($0.0, $0.1) }
            )
        )
    }

    private func assertFails(
        _ component: Component,
        _ message: MessageSignature.Message,
        _ code: MessageSignature.Error.Code,
        line: UInt = #line
    ) {
        XCTAssertThrowsError(try value(component, message), line: line) {
            XCTAssertEqual(($0 as? MessageSignature.Error)?.code, code, "\($0)", line: line)
        }
    }

    func testDerivedComponents() throws {
        let message = request("POST", "www.example.com", "/path", query: "param=value")
        XCTAssertEqual(try value(.method, message), "POST")
        XCTAssertEqual(try value(.targetURI, message), "https://www.example.com/path?param=value")
        XCTAssertEqual(try value(.authority, message), "www.example.com")
        XCTAssertEqual(try value(.scheme, message), "https")
        XCTAssertEqual(try value(.requestTarget, message), "/path?param=value")
        XCTAssertEqual(try value(.path, message), "/path")
        XCTAssertEqual(try value(.query, message), "?param=value")
        XCTAssertEqual(try value(.query, request(query: "queryString")), "?queryString")
        XCTAssertEqual(try value(.status, .response(.init(status: 200))), "200")
    }

    func testEmptyPartsAndDefaultPorts() throws {
        XCTAssertEqual(try value(.path, request("GET", "a", "")), "/")
        XCTAssertEqual(try value(.query, request()), "?")
        XCTAssertEqual(try value(.query, request(query: "")), "?")
        XCTAssertEqual(try value(.targetURI, request("GET", "a", "", query: "")), "https://a/?")
        let hosts: [(String, String, String)] = [
            ("WWW.Example.COM:443", "https", "www.example.com"),
            ("www.example.com:80", "http", "www.example.com"), ("a:80", "https", "a:80"),
            ("a:443", "HTTPS", "a"), ("a:0443", "https", "a"), ("a:", "https", "a"),
            ("[::1]", "https", "[::1]"), ("[::1]:443", "https", "[::1]"), ("[::443]", "https", "[::443]"),
            ("a:8443", "https", "a:8443"),
        ]
        for (authority, scheme, expected) in hosts {
            XCTAssertEqual(try value(.authority, request("GET", authority, scheme: scheme)), expected)
        }
    }

    func testRequestTargets() throws {
        let proxied = request(target: "https://www.example.com/path?param=value")
        XCTAssertEqual(try value(.requestTarget, proxied), "https://www.example.com/path?param=value")
        let connect = request("CONNECT", "www.example.com:80", "")
        XCTAssertEqual(try value(.requestTarget, connect), "www.example.com:80")
        XCTAssertEqual(try value(.requestTarget, request("OPTIONS", "a", "", target: "*")), "*")
    }

    func testQueryParameters() throws {
        let message = request(query: "param=value&foo=bar&baz=batman&qux=")
        XCTAssertEqual(try value(.queryParameter("baz"), message), "batman")
        XCTAssertEqual(try value(.queryParameter("qux"), message), "")
        XCTAssertEqual(try value(.queryParameter("param"), message), "value")
        let encoded = request(
            query:
                "var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something"
        )
        XCTAssertEqual(
            try value(.queryParameter("var"), encoded),
            "this%20is%20a%20big%0Amultiline%20value"
        )
        XCTAssertEqual(try value(.queryParameter("bar"), encoded), "with%20plus%20whitespace")
        XCTAssertEqual(try value(.queryParameter("façade\": "), encoded), "something")
        XCTAssertEqual(
            try Component.queryParameter("façade\": ").description,
            #""@query-param";name="fa%C3%A7ade%22%3A%20""#
        )
        // The set of characters that forms do not encode, malformed escapes, and names without values.
        let rare = request(query: "&&a~b=%zz%&x&*-._=1")
        XCTAssertEqual(try value(.queryParameter("a~b"), rare), "%25zz%25")
        XCTAssertEqual(try value(.queryParameter("x"), rare), "")
        XCTAssertEqual(try value(.queryParameter("*-._"), rare), "1")
    }

    /// RFC 9110 §7.1, RFC 9112 §3.3: these have neither path nor query.
    func testRequestsWithoutAPath() throws {
        let options = request("OPTIONS", "a:443", "", target: "*")
        let withSlash = request("OPTIONS", "a:443", "/", target: "*")
        for message in [options, withSlash, request("OPTIONS", "a:443", "*")] {
            XCTAssertEqual(try value(.targetURI, message), "https://a:443")
            XCTAssertEqual(try value(.requestTarget, message), "*")
            XCTAssertEqual(try value(.path, message), "/")
            XCTAssertEqual(try value(.query, message), "?")
            XCTAssertEqual(try value(.authority, message), "a")
        }
        let connect = request("CONNECT", "b.example:443", "")
        XCTAssertEqual(try value(.targetURI, connect), "https://b.example:443")
        XCTAssertEqual(try value(.requestTarget, connect), "b.example:443")
        XCTAssertEqual(try value(.path, connect), "/")
        XCTAssertEqual(try value(.query, connect), "?")
        // To a proxy, a URL without a path is not the root (RFC 9110 §4.2.3).
        for (query, expected) in [(nil, "http://b"), ("c", "http://b?c")] as [(String?, String)] {
            let proxied = request("OPTIONS", "b", "", query: query, scheme: "http", target: expected)
            XCTAssertEqual(try value(.targetURI, proxied), expected)
            XCTAssertEqual(try value(.requestTarget, proxied), expected)
            XCTAssertEqual(try value(.path, proxied), "/")
        }
        let get = request("GET", "b", "", scheme: "http", target: "http://b")
        XCTAssertEqual(try value(.targetURI, get), "http://b/")
        XCTAssertEqual(try value(.requestTarget, get), "http://b")
        // RFC 8441 has tunnels with a path.
        let socket = request("CONNECT", "a", "/chat", query: "b")
        XCTAssertEqual(try value(.targetURI, socket), "https://a/chat?b")
        // Other requests for the root.
        XCTAssertEqual(try value(.targetURI, request("OPTIONS", "a", "")), "https://a/")
        XCTAssertEqual(try value(.requestTarget, request("OPTIONS", "a", "")), "/")
        for component in [Component.targetURI, .requestTarget, .path] {
            assertFails(component, request("GET", "a", "*"), .invalidValue)
            assertFails(component, request("OPTIONS", "a", "*", query: ""), .invalidValue)
        }
    }

    /// Parts that contain what begins the next one would give different requests the same URL.
    func testRejectsPartsThatAreNotThoseOfAURL() throws {
        for message in [
            request("GET", "a/b", "/c"), request("GET", "a", "b"), request("GET", "a?b", "/"),
            request("GET", "a", "/b?c"), request("GET", "a", "/b#c"), request(query: "a#b"),
            request("GET", "u@a", "/"), request("GET", "a#", "/"), request(scheme: "https://b/"),
        ] {
            for component in [Component.targetURI, .requestTarget, .path] {
                assertFails(component, message, .invalidValue)
            }
        }
        XCTAssertEqual(
            try value(.targetURI, request("GET", "a", "/b:@/c", query: "?d/@")),
            "https://a/b:@/c??d/@"
        )
    }

    /// Parsers replace, skip or keep such bytes: `a%FF` may be `a` again.
    func testRejectsQueriesWithNamesThatAreNotUTF8() throws {
        for query in ["%FF=1&a=2", "a=2&a%FF=1", "a=2&%C3=", "a=2&%ED%A0%80"] {
            assertFails(try .queryParameter("a"), request(query: query), .invalidValue)
            assertFails(try .queryParameter("\u{FFFD}"), request(query: query), .invalidValue)
            XCTAssertEqual(try value(.query, request(query: query)), "?\(query)")
        }
        // The bytes of the replacement character itself are UTF-8.
        let replaced = request(query: "a=2&%EF%BF%BD=%ef%bf%bd")
        XCTAssertEqual(try value(.queryParameter("\u{FFFD}"), replaced), "%EF%BF%BD")
        XCTAssertEqual(try value(.queryParameter("a"), replaced), "2")
    }

    func testRejectsAmbiguousQueryParameters() throws {
        assertFails(try .queryParameter("a"), request(query: "a=1&b=2&%61=3"), .invalidValue)
        assertFails(try .queryParameter("a"), request(query: "a=%FF"), .invalidValue)
        assertFails(try .queryParameter("a"), request(query: "b=1"), .missingComponent)
        assertFails(try .queryParameter("a"), request(), .missingComponent)
    }

    func testFields() throws {
        let message = request(fields: [
            ("Host", "www.example.com"), ("X-OWS-Header", "   Leading and trailing whitespace.   "),
            ("X-Obs-Fold-Header", "Obsolete\r\n    line folding."), ("Cache-Control", "max-age=60"),
            ("Cache-Control", "   must-revalidate"),
            ("Example-Dict", " a=1,    b=2;x=1;y=2,   c=(a   b   c)"),
            ("X-Empty-Header", ""), ("x-folds", "\r\n a \t\r\n \r\n\tb\r\n "),
        ])
        XCTAssertEqual(try value(.field("X-OWS-Header"), message), "Leading and trailing whitespace.")
        XCTAssertEqual(try value(.field("x-obs-fold-header"), message), "Obsolete line folding.")
        XCTAssertEqual(try value(.field("cache-control"), message), "max-age=60, must-revalidate")
        XCTAssertEqual(try value(.field("example-dict"), message), "a=1,    b=2;x=1;y=2,   c=(a   b   c)")
        XCTAssertEqual(try value(.field("x-empty-header"), message), "")
        XCTAssertEqual(try value(.field("x-folds"), message), "a b")
        assertFails(try .field("x-missing"), message, .missingComponent)
    }

    func testParametersOfFields() throws {
        let message = request(fields: [
            ("Example-Dict", "  a=1, b=2;x=1;y=2, c=(a   b    c), d"), ("Priority", " u=1,    i"),
            ("Example-Header", "value, with, lots"), ("Example-Header", "of, commas"), ("Malformed", "1"),
        ])
        for (key, expected) in [("a", "1"), ("d", "?1"), ("b", "2;x=1;y=2"), ("c", "(a b c)")] {
            let component = try Component("example-dict", parameters: ["key": .string(key)])
            XCTAssertEqual(try value(component, message), expected)
        }
        XCTAssertEqual(try value(Component("priority", parameters: ["sf": true]), message), "u=1, i")
        XCTAssertEqual(
            try value(Component("example-header", parameters: ["bs": true]), message),
            ":dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:"
        )
        assertFails(
            try Component("example-dict", parameters: ["key": "e"]),
            message,
            .missingComponent
        )
        assertFails(try Component("malformed", parameters: ["key": "a"]), message, .invalidValue)
        assertFails(try Component("example-dict", parameters: ["sf": true]), message, .invalidComponent)
        // Of two values, another parser may take the other one.
        for twice in ["u=1, u=5", "u=1;a=1;a=2", "u=1, i;a;a"] {
            let message = request(fields: [("Priority", twice)])
            assertFails(try Component("priority", parameters: ["sf": true]), message, .invalidValue)
            assertFails(try Component("priority", parameters: ["key": "u"]), message, .invalidValue)
        }
    }

    func testRejectsValuesThatCouldContinueTheBase() throws {
        for value in ["a\nb", "a\r\nb", "a\rb", "a\r\n", "\u{0}", "é"] {
            assertFails(try .field("x"), request(fields: [("x", value)]), .invalidValue)
            assertFails(.path, request("GET", "a", "/\(value)"), .invalidValue)
            assertFails(.query, request(query: value), .invalidValue)
            assertFails(.method, request(value), .invalidValue)
            assertFails(.authority, request("GET", value), .invalidValue)
        }
        let armored = try Component("x", parameters: ["bs": true])
        XCTAssertEqual(try value(armored, request(fields: [("x", "é")])), ":w6k=:")
    }

    func testRejectsSeveralCookiesInOneValue() throws {
        let fields = [Field("Set-Cookie", "a=1, b=2"), Field("Set-Cookie", "c=3")]
        assertFails(try .field("set-cookie"), .response(.init(status: 200, fields: fields)), .invalidValue)
        let component = try Component("set-cookie", parameters: ["bs": true])
        let message = MessageSignature.Message.response(.init(status: 200, fields: fields))
        XCTAssertEqual(try value(component, message), ":YT0xLCBiPTI=:, :Yz0z:")
    }

    func testRequestsOfResponses() throws {
        let origin = MessageSignature.Request(method: "POST", authority: "a", path: "/b")
        let response = MessageSignature.Message.response(.init(status: 200, request: origin))
        XCTAssertEqual(try value(Component.method.ofRequest, response), "POST")
        assertFails(.method, response, .invalidComponent)
        assertFails(.method.ofRequest, .response(.init(status: 200)), .missingComponent)
        assertFails(.method.ofRequest, .request(origin), .invalidComponent)
        assertFails(.status, .request(origin), .invalidComponent)
        assertFails(.status, .response(.init(status: 42)), .invalidValue)
    }
}
