// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import CredKitClient

struct SecretMaskTests {
    private let mask = SecretMask(tokenField: HTTPField.Name("Content-Language"))

    /// Returns the line of a field.
    private func line(_ name: String, _ value: String) throws -> String? {
        let field = HTTPField(name: try #require(HTTPField.Name(name)), value: value)
        var fields = HTTPFields()
        fields.append(field)
        return mask.lines(of: HTTPResponse(status: .ok, headerFields: fields)).last
    }

    @Test
    func onlyValuesWithoutSecretsAreShown() throws {
        for (name, value, shown) in [
            ("Content-Type", "text/plain", "text/plain"), ("X-Auth-Token", "s3cret", "***"),
            ("Anything", "s3cret", "***"), ("Content-Language", "s3cret", "***"),
            ("Authorization", "Bearer s3cret", "Bearer ***"), ("authorization", "basic s3cret=", "basic ***"),
            ("Authorization", "s3cret", "***"), ("Authorization", "s3cret other", "***"),
            ("Authorization", "Bearer", "***"),
            ("Proxy-Authorization", "Basic s3cret", "Basic ***"),
            ("Cookie", "a=s3cret; b=s3cret=; s3cret", "a=***; b=***; ***"),
            ("Set-Cookie", "a=s3cret; Path=/; s3cret; Secure; b=s3cret", "a=***; Path=/; Secure"),
            ("Set-Cookie", "s3cret", "***"), ("Set-Cookie", "", "***"),
            ("Location", "/a?code=s3cret&page=2#s3cret", "/a?code=***&page=2#***"),
            ("Location", "https://a.example/a;s3cret/b;c=s3cret;d", "https://a.example/a;***/b;***"),
            ("Location", "https://u:s3cret@a.example/", "***"), ("Link", "</?token=s3cret>", "***"),
        ] { #expect(try line(name, value) == "\(name): \(shown)") }
    }

    @Test
    func queryOfARequestIsMasked() {
        let path = "/a?s3cret&b=s3cret&limit=5&=x"
        let request = HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: path)
        #expect(mask.lines(of: request) == ["GET /a?***&b=***&limit=5&=***", "Host: a.example"])
        for (target, shown) in [
            ("/app;jsessionid=s3cret?page=1;token=s3cret", "/app;***?page=***"), ("/a/?", "/a/?***"),
            ("/a?sort=name,-age&page=s3cret%20", "/a?sort=name,-age&page=***"), ("//a", "//a"), ("*", "*"),
        ] { #expect(mask.masked(target: target) == shown) }
    }

    @Test
    func repeatedSecretsAreMasked() {
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "a.example",
            path: "/",
            headerFields: [
                .cookie: "a=cookie-s3cret; b=en", .authorization: "Bearer bearer-s3cret",
            ]
        )
        let response = HTTPResponse(
            status: .init(code: 400, reasonPhrase: "no cookie-s3cret"),
            headerFields: [
                .eTag: "\"bearer-s3cret\"", .server: "new-s3cret en", .contentLanguage: "token-s3cret",
                .wwwAuthenticate: "Bearer realm=\"token-s3cret\"",
                .setCookie: "a=new-s3cret; Path=/new-s3cret",
            ]
        )
        let lines = mask.lines(of: response, to: request)
        #expect(!lines.contains { $0.contains("s3cret") }, "\(lines)")
        #expect(lines.first == "HTTP 400 no ***")
        #expect(lines.contains("Server: *** en") && lines.contains("ETag: \"***\""), "\(lines)")
    }
}
