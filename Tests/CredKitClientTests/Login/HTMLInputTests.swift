// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CredKitClient

/// Values of login pages.
@Suite struct HTMLInputTests {
    @Test(
        arguments: [
            (#"<input name="t" value="a b">"#, "a b"), ("<INPUT VALUE='a' Name='t'/>", "a"),
            ("<input\n type=hidden name=t value=a/b>", "a/b"), ("<input value = x name = t >", "x"),
            (#"<input name="t" value="&lt;a&amp;b&#x27;&quot;&gt;&unknown;">"#, #"<a&b'">&unknown;"#),
            (#"<input name="t" value="1"><input name="t" value="2">"#, "1"),
            (#"<!-- <input name="t" value="old"> --><input name="t" value="new">"#, "new"),
            (#"<input title="<input name='t' value='x'>" name="u"><input name=t value=y>"#, "y"),
            (#"<input name="t" value="1" value="2">"#, "1"), ("<<input name=t value=1", "1"),
            ("<input name=t>", ""),
        ] as [(String, String)]
    )
    func valueIsFound(page: String, value: String) {
        #expect(HTMLInput.value(ofInput: "t", in: Array(page.utf8)) == value)
    }

    @Test(
        arguments: [
            "", "<", "<input", "<input ", "<inputs name=t value=x>", "<input name=T value=x>",
            "<!-- <input name=t value=x>",
            "<input name='t", "input name=t value=x", "<meta name=t value=x>", "<input =t name==t value=x>",
        ] as [String]
    )
    func nothingIsFound(page: String) {
        #expect(HTMLInput.value(ofInput: "t", in: Array(page.utf8)) ?? "" == "")
    }

    @Test func longPagesTakeLinearTime() {
        // A parser that reads to the end for each tag would take hours.
        let page = Array(String(repeating: "<input <!-", count: 100_000).utf8)
        #expect(HTMLInput.value(ofInput: "t", in: page) == nil)
    }
}
