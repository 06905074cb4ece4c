// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Testing

@testable import CredKitClient

@Suite struct LoopbackRedirectTests {
    @Test func portIsChosenOrFixed() throws {
        let free = try LoopbackRedirect("http://127.0.0.1/callback")
        #expect(free.port == nil)
        #expect(free.path == "/callback")
        #expect(free.listeningHost == .ipv4OrIPv6)
        #expect(free.url(at: free.origin(port: 1234, hasIPv4: true)) == "http://127.0.0.1:1234/callback")
        #expect(free.url(at: free.origin(port: 1234, hasIPv4: false)) == "http://[::1]:1234/callback")

        let fixed = try LoopbackRedirect("http://127.0.0.1:8400")
        #expect(fixed.port == 8400)
        #expect(fixed.path == "/")
        #expect(fixed.listeningHost == .ipv4)
        #expect(fixed.url(at: fixed.origin(port: 8400, hasIPv4: true)) == "http://127.0.0.1:8400")

        let ipv6 = try LoopbackRedirect("http://[::1]:8400/")
        #expect(ipv6.listeningHost == .ipv6)
        #expect(ipv6.origin(port: 8400, hasIPv4: false).authority == "[::1]:8400")

        let name = try LoopbackRedirect("http://localhost/a/b")
        #expect(name.listeningHost == .both)
        #expect(name.url(at: name.origin(port: 9, hasIPv4: true)) == "http://localhost:9/a/b")
        #expect(name.url(at: name.origin(port: 9, hasIPv4: false)) == "http://localhost:9/a/b")
        // Browsers leave out this port.
        #expect(
            try LoopbackRedirect("http://localhost:80/").origin(port: 80, hasIPv4: true).authority
                == "localhost"
        )
    }

    @Test(
        arguments: [
            "", "127.0.0.1", "https://127.0.0.1/", "http://127.0.0.2/", "http://0.0.0.0/", "http://[::]/",
            "http://127.0.0.1.evil.example/", "http://evil.example/", "http://user@127.0.0.1/",
            "http://localhost.evil.example/", "com.example.app:/callback", "http://127.0.0.1/?a=b",
            "http://127.0.0.1/#a", "http://127.0.0.1/a/../b", "http://127.0.0.1/a b", "http://127.0.0.1/é",
            "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:/", "http://127.0.0.1:08400/",
            "HTTP://127.0.0.1/", "http://LOCALHOST/", "http://127.1/", "http://[0:0:0:0:0:0:0:1]/",
            "http://127.0.0.1./", "http://127.0.0.1/\r\nHost: x",
        ] as [String]
    )
    func otherURLsAreRefused(text: String) {
        #expect(throws: ClientError.invalidURL) { _ = try LoopbackRedirect(text) }
    }
}
