// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// `credkit sign webhook` and `credkit sign verify webhook`, with openssl and Python's hmac as the other side.
@Suite final class WebhookCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try run(
            """
            printf 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\\n' > secret
            printf "It's a Secret to Every%s" body > github; printf 'whsec_test_secret\\n' > stripe
            printf '{"test": 2432232314}' > body; printf 'Hello, World!' > hello
            printf '{"id": "evt_1", "object": "event"}' > event
            """
        )
    }

    deinit { shell.remove() }

    @discardableResult
    private func run(
        _ script: String,
        _ status: Int32 = 0,
        location: SourceLocation = #_sourceLocation
    ) throws -> Shell.Outcome {
        let outcome = try shell.run(script)
        #expect(outcome.status == status, "\(script): \(outcome.errors)", sourceLocation: location)
        return outcome
    }

    private let standard = "standard --id msg_p5jXN8AQM9LWM0D4loKWxJek --at 1614265330 --key-file secret"

    /// The examples of the services.
    @Test func publishedExamples() throws {
        #expect(
            try run("credkit sign webhook \(standard) body").text == """
                webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek
                webhook-timestamp: 1614265330
                webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=

                """
        )
        let digits = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
        #expect(
            try run("credkit sign webhook github --key-fd 3 < hello 3< github").text
                == "X-Hub-Signature-256: sha256=\(digits)\n"
        )
        let code = "09357d4fb8d9eba6f07fdea6b2428fa819063ec7bb7f9eca18b88cf0ff729476"
        #expect(
            try run("credkit sign webhook stripe --key-file stripe --at 1492774577 event").text
                == "Stripe-Signature: t=1492774577,v1=\(code)\n"
        )
    }

    @Test func bodyOfAnyBytesIsSignedAsOpenSSLDoes() throws {
        try run(
            """
            head -c 100000 /dev/urandom > any
            code=$(openssl dgst -sha256 -hmac whsec_test_secret -r any | cut -d ' ' -f 1)
            [ "$(credkit sign webhook github --key-file stripe any)" = "X-Hub-Signature-256: sha256=$code" ] || exit 2
            now=$(date +%s)
            code=$({ printf $now.; cat any; } | openssl dgst -sha256 -hmac whsec_test_secret -r | cut -d ' ' -f 1)
            credkit sign verify webhook stripe --key-file stripe -H "Stripe-Signature: t=$now,v1=$code" any
            """
        )
    }

    @Test func secretWithACarriageReturnIsRefused() throws {
        for command in ["sign webhook", "sign verify webhook"] {
            let line = "printf 'secret\\r\\n' > crlf; credkit \(command) github --key-file crlf body"
            let outcome = try run(line, 65)
            #expect(outcome.errors.contains("carriage return"), "\(outcome.errors)")
        }
    }

    @Test func headersOfPythonAreValid() throws {
        let outcome = try run(
            """
            python3 - > headers <<'END'
            import base64, hashlib, hmac, time
            now, body = str(int(time.time())), open("body", "rb").read()
            key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
            code = hmac.new(key, b"msg_1." + now.encode() + b"." + body, hashlib.sha256).digest()
            print("Webhook-Id: msg_1\\r\\nWebhook-Timestamp: " + now + "\\r")
            print("Webhook-Signature: v1a,AAAA v1," + base64.b64encode(code).decode() + "\\r")
            END
            credkit sign verify webhook standard --key-file secret -H @headers body
            """
        )
        #expect(outcome.text.hasPrefix("valid\nid: msg_1\ntimestamp: 20"), "\(outcome.text)")
        #expect(outcome.errors.isEmpty)
    }

    @Test(arguments: ["standard --id msg_1", "github", "stripe"])
    func wholeRequestsAreVerified(format: String) throws {
        let name = format.prefix { $0 != " " }
        let outcome = try run(
            """
            { printf 'POST /hook?a=b HTTP/1.1\\r\\nHost: example.com\\r\\n'
              credkit sign webhook \(format) --key-file secret body | sed 's/$/\\r/'; printf '\\r\\n'; cat body; } > request
            credkit sign verify webhook \(name) --key-file secret request
            """
        )
        #expect(outcome.text.hasPrefix("valid\n"))
        #expect(outcome.text.contains("sent again") == (name == "github"), "\(outcome.text)")
        let changed = try run(
            "sed -b s/test/tesu/ request | credkit sign verify webhook \(name) --key-file secret",
            1
        )
        #expect(changed.text == "invalid\n")
        #expect(changed.errors == "credkit: no signature matches\n")
        let quiet = try run(
            "sed -b s/test/tesu/ request | credkit sign verify webhook \(name) -q --key-file secret",
            1
        )
        #expect(quiet.text.isEmpty && quiet.errors.isEmpty)
    }

    @Test func timeHasATolerance() throws {
        try run("credkit sign webhook \(standard) body > headers")
        let verify = "credkit sign verify webhook standard --key-file secret -H @headers body"
        for (options, reason) in [
            ("--at 1614265630", nil), ("--at 1614265631", "past"), ("--at 1614265030", nil),
            ("--at 1614265029", "future"), ("--at 1614265391 --tolerance 1m", "past"),
            ("--at 1614268930 --tolerance 1h", nil), ("", "past"),
        ] as [(String, String?)] {
            let outcome = try run("\(verify) \(options)", reason == nil ? 0 : 1)
            let isExpected = reason.map { outcome.errors.contains($0) } ?? outcome.errors.isEmpty
            #expect(isExpected, "\(options): \(outcome.errors)")
        }
        let json = try run("\(verify) --json --at 1614265330").text
        #expect(
            json
                == #"{"id":"msg_p5jXN8AQM9LWM0D4loKWxJek","result":"valid","timestamp":"2021-02-25T15:02:10Z"}"#
                + "\n"
        )
    }

    @Test(arguments: ["standard --id msg_1", "github", "stripe"])
    func secretsRotate(format: String) throws {
        let name = format.prefix { $0 != " " }
        try run(
            """
            set -e; printf whsec_%032d 7 > new; printf whsec_%032d 8 > other
            credkit sign webhook \(format) --key-file new --key-file secret body > headers
            credkit sign verify webhook \(name) -q -H @headers --key-file new body
            credkit sign webhook \(format) --key-file secret body > headers
            credkit sign verify webhook \(name) -q -H @headers --key-file new --key-file secret body
            credkit sign verify webhook \(name) -q -H @headers --key-file new --key-fd 3 body 3< secret
            """
        )
        try run("credkit sign verify webhook \(name) -q -H @headers --key-file other body", 1)
    }

    @Test func whatIsMalformedIsAnErrorAndWhatIsMissingIsInvalid() throws {
        for (line, status, text) in [
            ("github --key-file github -H 'X-Hub-Signature-256: sha256=00' body", 1, "malformed"),
            ("github --key-file github -H 'X-Hub-Signature: sha1=00' body", 1, "needs X-Hub-Signature-256"),
            (
                "github --key-file github -H 'X-Hub-Signature-256: ' -H 'x-hub-signature-256: a' body", 1,
                "repeated"
            ),
            ("stripe --key-file stripe -H 'Stripe-Signature: t=1,v0=00' body", 1, "version"),
            ("github --key-file github -H nonsense body", 64, "Name: value"),
            ("github --key-file /dev/null -H 'A: b' body", 65, "empty"),
            ("standard --key-file github -H 'A: b' body", 65, "Base64"),
            ("github --key-file github body", 65, "-H"),
            ("github --key-file github missing", 74, "missing"),
            ("github --key-file missing -H 'A: b' body", 74, "missing"),
            ("github --key-fd 3 --key-fd 3 -H 'A: b' body", 64, "same input"),
        ] as [(String, Int32, String)] {
            let outcome = try run("credkit sign verify webhook \(line)", status)
            #expect(outcome.errors.contains(text), "\(line): \(outcome.errors)")
            #expect(outcome.text == (status == 1 ? "invalid\n" : ""), "\(line)")
        }
        try run("credkit sign webhook github \(String(repeating: "--key-file github ", count: 9)) body", 64)
    }
}
