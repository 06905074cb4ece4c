// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit sign`, `credkit sign verify` and `credkit request --sign`, with openssl as the other side.
final class SignatureCommandTests: ShellTestCase {
    override func setUpWithError() throws {
        try super.setUpWithError()
        try run(
            """
            printf 0123456789abcdef0123456789abcdef > key; printf helloworld > secret
            printf 'POST /a%%20b?id=7 HTTP/1.1\\r\\nHost: Example.COM:443\\r\\nX-List:  a,  b \\r\\n\\r\\n{"hello": "world"}' > message
            openssl genpkey -algorithm ed25519 -out ed25519.pem; openssl pkey -in ed25519.pem -pubout -out ed25519.pub
            """
        )
    }

    /// The base is that of RFC 9421, and openssl computes the same code over it.
    func testSignatureIsThatOfOpenSSL() throws {
        try run("credkit sign --with hmac-sha256:k1=key message > signed")
        let base = try run("credkit sign verify --base --with hmac-sha256:k1=key signed").text
        XCTAssertTrue(
            base.hasPrefix(
                """
                "@method": POST
                "@authority": example.com
                "@path": /a%20b
                "@query": ?id=7
                "content-digest": sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:
                "@signature-params": ("@method" "@authority" "@path" "@query" "content-digest");created=
                """
            ),
            base
        )
        try run(
            """
            credkit sign verify --base --with hmac-sha256:k1=key signed | head -c -1 |
                openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef -binary | base64 > code
            grep -qF "Signature: sig=:$(cat code):" signed
            """
        )
        // Everything else of the message is unchanged.
        try run("sed -bE '/^(Content-Digest|Signature|Signature-Input):/d' signed | cmp - message")
    }

    func testEd25519AndRSAOfOpenSSLAreVerified() throws {
        try run(
            "credkit sign --with ed25519:k2=ed25519.pem message | credkit sign verify -q --with ed25519:k2=ed25519.pub"
        )
        try run(
            """
            openssl genpkey -algorithm rsa -pkeyopt rsa_keygen_bits:2048 -out rsa.pem 2>/dev/null
            openssl pkey -in rsa.pem -pubout -out rsa.pub
            printf '%s\\n%s' '"@method": GET' "\\"@signature-params\\": (\\"@method\\");created=$(date +%s);keyid=\\"r\\"" > base
            printf 'GET / HTTP/1.1\\nHost: h\\nSignature-Input: s=%s\\nSignature: s=:%s:\\n\\n' \\
                "$(sed -n 's/.*params": //p' base)" "$(openssl dgst -sha256 -sign rsa.pem base | base64 -w 0)" > foreign
            credkit sign verify --cover @method --with rsa-v1_5-sha256:r=rsa.pub foreign
            """
        )
        try run("credkit sign verify --cover @method --with rsa-pss-sha512:r=rsa.pub foreign", 1)
        try run(
            "sed s/GET/PUT/ foreign | credkit sign verify --cover @method --with rsa-v1_5-sha256:r=rsa.pub",
            1
        )
        try run("credkit sign verify --with rsa-v1_5-sha256:r=rsa.pub foreign", 1)
    }

    func testChangedMessagesAreInvalid() throws {
        try run("credkit sign --with hmac-sha256:k1=key message > signed")
        for change in [
            "s/POST/PUT/", "s/a%20b/a%20c/", "s/id=7/id=8/", "s/Example/Exbmple/", "s/world/worle/",
            "s/created=1/created=2/", "s/keyid=\"k1\"/keyid=\"k2\"/", "/^Content-Digest/d", "/^Signature:/d",
            "/^Signature-Input/d", "s/sha-256=:X/sha-256=:Y/",
        ] {
            let outcome = try run(
                "sed -b '\(change)' signed | credkit sign verify --with hmac-sha256:k1=key",
                1
            )
            XCTAssertEqual(outcome.text, "invalid\n", change)
            XCTAssertFalse(outcome.errors.isEmpty, change)
        }
        // Not covered.
        try run("sed -b 's/X-List/X-Liste/' signed | credkit sign verify -q --with hmac-sha256:k1=key")
        try run("credkit sign verify --cover x-list --with hmac-sha256:k1=key signed", 1)
        try run("credkit sign verify --http --cover @target-uri --with hmac-sha256:k1=key signed", 1)
    }

    func testSecondSignatureNeedsAnotherName() throws {
        try run("credkit sign --with hmac-sha256:k1=key message > once")
        let again = try run("credkit sign --with hmac-sha256:k1=key once", 65)
        XCTAssertTrue(again.errors.contains("--label"), again.errors)
        try run("credkit sign --label other --with ed25519:k2=ed25519.pem once > twice")
        try run("credkit sign verify -q --with hmac-sha256:k1=key twice")
        try run("credkit sign verify -q --with ed25519:k2=ed25519.pub twice")
        // A digest that matches is kept, whatever its function: the first signature covers it.
        let digest = try run(
            """
            sum=$(printf '{"hello": "world"}' | openssl dgst -sha512 -binary | base64 -w 0)
            sed -b "s|^X-List.*|Content-Digest: sha-512=:$sum:\\r|" message | credkit sign --with hmac-sha256:k1=key
            """
        ).text
        XCTAssertFalse(digest.contains("sha-256"), digest)
        XCTAssertTrue(digest.contains("sha-512"), digest)
    }

    func testLineEndsAreKept() throws {
        try run("printf 'PUT / HTTP/1.1\\r\\nHost: h\\nA: b\\r\\n\\r\\na\\r\\nb' > mixed")
        try run(
            "credkit sign --with hmac-sha256:k1=key mixed | sed -bE '/^(Content-D|Signature)/d' | cmp - mixed"
        )
    }

    func testSignatureExpires() throws {
        try run("credkit sign --with hmac-sha256:k1=key message > signed")
        try run(
            "sed -b 's/created=1[0-9]*/created=1/' signed | credkit sign verify --with hmac-sha256:k1=key",
            1
        )
        // Waits for the clock to move on by more than a second.
        try run("end=$(($(date +%s) + 2)); until [ $(date +%s) -gt $end ]; do sleep 0.1; done")
        let old = try run("credkit sign verify --max-age 1s --with hmac-sha256:k1=key signed", 1)
        XCTAssertTrue(old.errors.contains("old"), old.errors)
        try run("credkit sign verify -q --with hmac-sha256:k1=key signed")
    }

    func testParametersAreSigned() throws {
        let example =
            "method=taobao.item.seller.get&v=2.0&format=json&session=test&fields=num_iid,title,nick,price,num&num_iid=11223344"
            + "&app_key=12345678&sign_method=md5&timestamp=2016-01-01%2012:00:00"
        try run("printf 'GET /router?\(example.replacing("%", with: "%%")) HTTP/1.1\\nHost: h\\n\\n' > top")
        XCTAssertTrue(
            try run("credkit sign --with top=secret top").text.contains(
                "&sign=66987CB115214E59E6EC978214934FB8 "
            )
        )
        // With a KEYID, time and account are added.
        let added = try run("credkit sign --with top:4711=secret top | tee signed").text
        XCTAssertTrue(added.contains("&app_key=4711&sign_method=md5&timestamp=20"), added)
        XCTAssertFalse(added.contains("12345678"), added)
        try run("credkit sign verify -q --with top=secret signed")
        try run("sed s/test/tesu/ signed | credkit sign verify --with top=secret", 1)
        let form = try run(
            """
            printf 'POST / HTTP/1.1\\nHost: h\\nContent-Type: application/x-www-form-urlencoded\\nContent-Length: 7\\n\\na=1&b=2' |
                credkit sign --with wechat:app=secret | tee form
            """
        ).text
        XCTAssertTrue(form.contains("\na=1&b=2&appid=app&nonce_str="), form)
        try run("credkit sign verify -q --with wechat=secret form")
        try run("credkit sign verify -q --with alipay=secret form", 1)
    }

    /// Nothing is signed without parameters, unless the key's name adds some.
    func testNoParametersAreAnError() throws {
        for target in ["/", "/?", "/?sign=old", "/?a="] {
            try run("printf 'GET \(target) HTTP/1.1\\nHost: h\\n\\n' > bare")
            for kind in ["wechat", "top"] {
                let outcome = try run("credkit sign --with \(kind)=secret bare", 64)
                XCTAssertEqual(outcome.text, "")
                XCTAssertTrue(outcome.errors.contains("no parameters to sign"), outcome.errors)
            }
            try run(
                "credkit sign --with wechat:app=secret bare | credkit sign verify -q --with wechat=secret"
            )
        }
        // JD signs empty values as well.
        try run("credkit sign --with jd=secret bare | credkit sign verify -q --with jd=secret")
    }

    func testMalformedMessages() throws {
        for text in [
            "", "GET / HTTP/1.1\\n", "GET / HTTP/1.1\\nHost: h\\n", "\\n\\n", "GET /\\nHost: h\\n\\n",
            "GET / HTTP/1.1\\n\\n",
            "GET / HTTP/1.1\\nHost: h\\nHost: h\\n\\n", "GET / HTTP/1.1\\nHost: a/b\\n\\n",
            "GET / HTTP/1.1\\nHost h\\n\\n",
            "GET / HTTP/1.1\\nHost: h\\nA: 1\\n folded\\n\\n", "GET /#a HTTP/1.1\\nHost: h\\n\\n",
            "GET a HTTP/1.1\\nHost: h\\n\\n", "HTTP/1.1 OK\\n\\n", "HTTP/1.1 9999 OK\\n\\n",
            "GET / HTTP/1.1\\nHost: h\\nContent-Length: 3\\n\\nab", "HTTP/1.1 +20 OK\\n\\n",
            "HTTP/1.x 200 OK\\n\\n",
            "GET / HTTP/1.1\\033\\nHost: h\\n\\n", "GET / HTTP/1.1\\r X\\nHost: h\\n\\n",
            "HTTP/1.1 100 Continue\\n\\nHTTP/1.1 200 OK\\n\\n", "HTTP/2 200\\nContent-Length: 9\\n\\nok",
            "GET / HTTP/1.1\\nHost: h\\nA: \\001\\n\\n",
        ] {
            for command in ["sign --with", "sign verify --with"] {
                try run("printf '\(text)' | credkit \(command) hmac-sha256:k1=key", 65)
            }
        }
        try run("yes | head -c 300000 | credkit sign --with hmac-sha256:k1=key", 65)
        try run("credkit sign --with hmac-sha256:k1=key missing", 74)
    }

    func testCommandLine() throws {
        for (arguments, status, text) in [
            ("--with hmac-sha256=key", 64, "KEYID"), ("--with sha256:a=key", 64, "--with"),
            ("--with rsa-pss-sha512:a=key", 64, "only verifies"),
            ("--with hmac-sha256:a=missing", 74, "missing"),
            ("--with ed25519:a=key", 65, "PEM"), ("--with hmac-sha256:a=secret", 65, "16 bytes"),
            ("--with jd:a=secret", 64, "jd=FILE"), ("--with top=secret --cover @path", 64, "--cover"),
            ("--with hmac-sha256:a=key --cover 'a b'", 64, "--cover"),
            ("--with hmac-sha256:a=key --cover x-missing", 65, "x-missing"),
            ("--with hmac-sha256:a=key --cover @status", 65, "@status"), ("", 64, "--with"),
        ] {
            let outcome = try run("credkit sign \(arguments) message", Int32(status))
            XCTAssertTrue(outcome.errors.contains(text), "\(arguments): \(outcome.errors)")
        }
        try run("credkit sign --with hmac-sha256:a=- -", 64)
        // A file that is called like a subcommand, and the default subcommand by its name.
        try run("cp message verify; credkit sign --with hmac-sha256:a=key ./verify > signed")
        try run(
            "credkit sign --with hmac-sha256:a=key verify | credkit sign verify -q --with hmac-sha256:a=key"
        )
        try run("credkit sign message --with hmac-sha256:a=key message > signed")
        try run("credkit sign verify message -q --with hmac-sha256:a=key signed")
        try run("credkit sign verify --base --json --with hmac-sha256:a=key message", 64)
    }

    /// What a server receives is verified as a message in a file.
    func testSignedRequest() throws {
        let server = try LoginServer(shell)
        defer { server.stop() }
        let host = "127.0.0.1:\(server.port)"
        try run(
            """
            credkit request --sign hmac-sha256:k1=key -d 'id=7&a=b' http://\(host)/echo'?x=1' > answer
            { printf 'POST /echo?x=1 HTTP/1.1\\n'; jq -r '.headers | to_entries[] | "\\(.key): \\(.value)"' answer; echo
              jq -r .body answer | base64 -d; } > received
            """
        )
        let outcome = try run("credkit sign verify --http --with hmac-sha256:k1=key received")
        XCTAssertTrue(outcome.text.hasPrefix("valid\n"), outcome.text)
        let other = try run(
            "sed s/a=b/a=c/ received | credkit sign verify --http --with hmac-sha256:k1=key",
            1
        )
        XCTAssertTrue(other.errors.contains("Content-Digest"), other.errors)
        let top = try run(
            "credkit request --sign top:4711=secret -d a=b http://\(host)/echo | jq -r .body | base64 -d"
        ).text
        XCTAssertTrue(top.hasPrefix("a=b&app_key=4711&sign_method=md5&timestamp="), top)
        try run("credkit request --sign top=secret --json '{}' http://\(host)/echo", 64)
        // A server that gets no credentials of the session gets no signature either.
        try run("printf 123456 | credkit login http://\(host) --user alice --key-phrase itheima --session s")
        let elsewhere = try run(
            "credkit request --session s --sign hmac-sha256:k1=key http://localhost:\(server.port)/echo",
            64
        )
        XCTAssertTrue(elsewhere.errors.contains("--sign"), elsewhere.errors)
    }
}
