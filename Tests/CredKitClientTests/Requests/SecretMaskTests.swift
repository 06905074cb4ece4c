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
            ("Location", "https://u:s3cret@a.example/", "***"), ("Link", "</?token=s3cret>", "***"),
        ] { #expect(try line(name, value) == "\(name): \(shown)") }
    }

    @Test
    func queryOfARequestIsMasked() {
        let path = "/a?s3cret&b=s3cret&limit=5&=x"
        let request = HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: path)
        #expect(mask.lines(of: request) == ["GET /a?***&b=***&limit=5&=***", "Host: a.example"])
    }
}
