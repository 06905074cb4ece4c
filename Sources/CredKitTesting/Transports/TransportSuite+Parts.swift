// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Client
internal import CredKitClient
internal import HTTPTypes

extension TransportSuite {
    func sendsRequests(_ client: SuiteClient) async throws {
        let target = "//a%20b/%C3%A4;x=1:@?q=%2B+&y="
        var fields: HTTPFields = [.userAgent: "suite", .accept: "text/plain"]
        if let name = HTTPField.Name("X-Twice") {
            for value in ["1", "2"] { fields.append(HTTPField(name: name, value: value)) }
        }
        for (index, method) in [HTTPRequest.Method.get, .post, .put, .delete].enumerated() {
            let bytes = Array(0...255) + Array("\(index)".utf8)
            let body = method == .post || method == .put ? HTTPRequestBody(bytes) : nil
            _ = try await client.collect("\(target)\(index)", method: method, fields: fields, body: body)
            let path = String(target.prefix { $0 != "?" })
            guard let request = client.log.requests(path).last else {
                throw SuiteFailure("no request arrived")
            }
            try SuiteFailure.expect(request.method, toEqual: method.rawValue, "the method")
            try SuiteFailure.expect(request.target, toEqual: "\(target)\(index)", "path and query")
            try SuiteFailure.check(request.body == (body == nil ? [] : bytes), "the body has changed")
            for (name, value) in [("user-agent", "suite"), ("accept", "text/plain"), ("x-twice", "1, 2")] {
                try SuiteFailure.expect(request.value(name), toEqual: value, "the field \(name)")
            }
            for name in ["cookie", "authorization", "proxy-authorization"] {
                try SuiteFailure.expect(request.value(name), toEqual: nil, "the field \(name)")
            }
        }
    }

    func sendsStreams(_ client: SuiteClient) async throws {
        let bytes = Array(PeerAnswer.largeBody.prefix(300_000))
        for byteCount in [nil, Int64(bytes.count)] {
            let stream = HTTPResponseBody {
                var rest = bytes[...]
                return .init {
                    defer { rest = rest.dropFirst(100_000) }
                    return rest.isEmpty ? nil : Array(rest.prefix(100_000))
                }
            }
            let body = HTTPRequestBody(streaming: stream, byteCount: byteCount)
            let echo = try await client.collect("/echo", method: .put, body: body)
            try SuiteFailure.check(
                echo.body == bytes,
                "a stream with the size \(byteCount as Any) has changed"
            )
        }
    }

    func receivesResponses(_ client: SuiteClient) async throws {
        for status in [200, 201, 204, 400, 401, 404, 500, 503] {
            let response = try await client.collect("/status/\(status)")
            try SuiteFailure.expect(response.head.status.code, toEqual: status, "the status")
            let text = String(decoding: response.body, as: UTF8.self)
            try SuiteFailure.expect(
                text,
                toEqual: status == 204 ? "" : "status",
                "the body of status \(status)"
            )
        }
        let fields = try await client.collect("/fields").head.headerFields
        let cookies = fields[values: .setCookie]
        try SuiteFailure.expect(cookies, toEqual: ["a=1; Path=/", "b=2"], "the fields Set-Cookie")
        let name = HTTPField.Name("x-name").flatMap { fields[$0] }
        try SuiteFailure.expect(name, toEqual: "value", "the field X-Name")
    }

    func receivesLargeBodies(_ client: SuiteClient) async throws {
        let body = try await client.collect("/large").body
        try SuiteFailure.check(body == PeerAnswer.largeBody, "a body of 3 MiB has changed")
    }

    func followsNoRedirects(_ client: SuiteClient) async throws {
        let head = try await client.collect("/redirect").head
        try SuiteFailure.expect(head.status.code, toEqual: 302, "the status of a redirect")
        try SuiteFailure.expect(head.headerFields[.location], toEqual: "/echo", "the field Location")
        try SuiteFailure.expect(client.log.requests("/echo").count, toEqual: 0, "requests to its target")
    }

    func storesNoCookies(_ client: SuiteClient) async throws {
        _ = try await client.collect("/fields")
        _ = try await client.collect("/echo")
        try SuiteFailure.expect(client.onlyRequest("/echo").value("cookie"), toEqual: nil, "the field Cookie")
    }

    func servesManyTasks(_ client: SuiteClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let bytes = Array("body \(number)".utf8)
                    let body = HTTPRequestBody(bytes)
                    let echo = try await client.collect("/echo", method: .post, body: body).body
                    try SuiteFailure.check(echo == bytes, "a request got the response of another one")
                }
            }
            try await group.waitForAll()
        }
        try SuiteFailure.expect(client.log.requests("/echo").count, toEqual: 64, "the number of requests")
    }
}
#endif
