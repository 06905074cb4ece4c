// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CredKitClient

@Suite struct CallbackRequestTests {
    private func parameters(_ query: String) -> [String]? {
        let head = "GET /cb?\(query) HTTP/1.1\r\nHost: a\r\n\r\n"
        return CallbackRequest(parsing: Array(head.utf8))?.parameters.map { "\($0.0)=\($0.1)" }
    }

    @Test func parametersAreDecodedInTheirOrder() {
        #expect(parameters("code=a%2Fb+c&state=%73") == (["code=a/b c", "state=s"] as [String]))
        // Which of two counts is up to the login, which refuses both.
        #expect(parameters("code=a&code=b&%63ode=c") == (["code=a", "code=b", "code=c"] as [String]))
        #expect(parameters("a&&=&b=c=d&e=100%") == (["a=", "=", "b=c=d", "e=100%"] as [String]))
        #expect(parameters("") == ([] as [String]))
        #expect(parameters("a=%C3%A9") == (["a=é"] as [String]))
        #expect(parameters("a=%C3") == nil)
    }

    @Test func numberOfParametersIsLimited() {
        let most = Array(repeating: "a=b", count: CallbackRequest.maximumParameterCount)
        #expect(parameters(most.joined(separator: "&"))?.count == most.count)
        #expect(parameters((most + ["a=b"]).joined(separator: "&")) == nil)
    }

    @Test func fieldsAreReadRegardlessOfCase() throws {
        let head = "GET / HTTP/1.0\r\nhOST:\t[::1]:80 \r\nSEC-fetch-dest:  document\r\nX: a\r\nX: b\r\n\r\n"
        let request = try #require(CallbackRequest(parsing: Array(head.utf8)))
        #expect(request.host == "[::1]:80")
        #expect(request.secFetchDest == "document")
        #expect(request.path == "/")
        #expect(request.parameters.isEmpty)
    }

    @Test(arguments: ["get", "Get", "GET1", "", "GET\u{B}"] as [String])
    func methodIsAWordInUpperCase(method: String) {
        #expect(CallbackRequest(parsing: Array("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)) == nil)
    }

    @Test func headEndsAtItsFirstEmptyLine() {
        let text = Array("a\r\n\r\r\n\r\nb\r\n\r\n".utf8)
        #expect(CallbackHead.end(in: text) == 8)
        #expect(CallbackHead.end(in: text, from: 7) == 8)
        #expect(CallbackHead.end(in: text, from: 8) == text.count)
        #expect(CallbackHead.end(in: Array("a\r\n\n\r\n\r".utf8)) == nil)
        #expect(CallbackHead.end(in: []) == nil)
    }
}
