// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitClient

@Suite struct CallbackPageTests {
    @Test func policyAllowsTheStylesAlone() throws {
        let command = ["sh", "-c", "openssl dgst -sha256 -binary | base64"]
        let hash = try Program.succeed(command, input: Data(CallbackPage.style.utf8)).text
        #expect(hash == CallbackPage.styleHash + "\n")
    }

    @Test(arguments: CallbackPage.allCases)
    func pageIsConstantAndHasNothingActive(page: CallbackPage) throws {
        let text = String(decoding: page.response(), as: UTF8.self)
        let parts = text.components(separatedBy: "\r\n\r\n")
        #expect(parts.count == 2)
        for word in ["<script", "href", "src=", "<form", "<meta http-equiv", "http"] {
            #expect(!parts[1].contains(word))
        }
        #expect(parts[1].components(separatedBy: "<style>\(CallbackPage.style)</style>").count == 2)
        let lines = parts[0].components(separatedBy: "\r\n")
        for line in [
            "Content-Length: \(parts[1].utf8.count)", "Cache-Control: no-store",
            "Referrer-Policy: no-referrer",
            "X-Content-Type-Options: nosniff", "Connection: close",
        ] {
            #expect(lines.contains(line))
        }
        let policy = try #require(
            lines.first { $0.hasPrefix("Content-Security-Policy: default-src 'none'; ") }
        )
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(page.response(isHead: true) == Array((parts[0] + "\r\n\r\n").utf8))
    }
}
