// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// A server with passkeys, whose users alice and carol have the password `s3cret`, and bob a one-time code besides.
struct PasskeySite {
    static let origin = "http://localhost:8080"

    let shell: Shell
    let server: ServerProcess

    /// Writes the files of a server into the folder of a shell.
    static func shell() throws -> Shell {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        let outcome = try shell.run(
            """
            umask 077
            hash=$(printf s3cret | credkit hash argon2id --memory 1MiB --passes 1)
            printf '%s:%s\\n' alice "$hash" bob "$hash" carol "$hash" > users
            printf GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ | credkit otp add phone bob
            printf 'bob:%s\\n' "$(credkit otp uri phone bob)" > codes
            """
        )
        try #require(outcome.status == 0, "\(outcome.errors)")
        return shell
    }

    /// The options of the server, but those of passkeys and state.
    static let options =
        "--users users --otp-file codes --first-start --site \(origin) --trusted-proxy 127.0.0.1 --listen 127.0.0.1:0"

    init(_ shell: Shell, _ options: String = "--passkeys passkeys.json") throws {
        self.shell = shell
        server = try ServerProcess(shell, "credkit-server \(Self.options) \(options)")
    }

    /// A browser without cookies.
    func browser(_ name: String) -> PasskeyBrowser {
        PasskeyBrowser(shell: shell, url: server.url, name: name)
    }

    /// A browser in which a user has logged in with the password.
    func browser(of user: String) throws -> PasskeyBrowser {
        let opened = browser(user)
        let answer = try opened.logIn(user)
        try #require(answer.status == 303, "\(answer.body)")
        return opened
    }

    /// An authenticator for the site.
    static func authenticator(_ seed: UInt8 = 7) throws -> VirtualAuthenticator {
        var authenticator = try VirtualAuthenticator(seed: seed)
        authenticator.origin = origin
        authenticator.relyingPartyID = "localhost"
        authenticator.credentialID = [UInt8](repeating: seed, count: 32)
        return authenticator
    }
}

/// A browser, which keeps its cookies in a file.
struct PasskeyBrowser {
    struct Answer {
        let status: Int
        let body: String

        /// The members of a JSON object.
        var json: [String: Any] {
            let value = try? JSONSerialization.jsonObject(with: Data(body.utf8))
            return value as? [String: Any] ?? [:]
        }

        /// The value of a hidden field.
        func field(_ name: String) -> String? {
            guard let start = body.range(of: "name=\"\(name)\" value=\"") else { return nil }
            return String(body[start.upperBound...].prefix { $0 != "\"" })
        }
    }

    let shell: Shell
    let url: String
    let name: String

    /// Sends a request with the fields of a form, or without a form.
    func send(
        _ path: String,
        _ fields: [String: String]? = nil,
        _ options: String = ""
    ) throws -> Answer {
        var data = ""
        for (index, (field, value)) in (fields ?? [:]).enumerated() {
            let file = "\(name)-\(index)"
            try Data(value.utf8).write(to: shell.folder.appendingPathComponent(file))
            data += " --data-urlencode \(field)@\(file)"
        }
        if fields != nil, data.isEmpty { data = " -d ''" }
        let outcome = try shell.run(
            "curl -s -b \(name).jar -c \(name).jar -w '\\n%{http_code}' \(options)\(data) \(url)\(path)"
        )
        let lines = outcome.text.split(separator: "\n", omittingEmptySubsequences: false)
        return Answer(
            status: lines.last.flatMap { Int($0) } ?? 0,
            body: lines.dropLast().joined(separator: "\n")
        )
    }

    /// The token of the page.
    func token() throws -> String {
        let page = try send("/auth/login?again=1", nil, "-H 'Accept: text/html'")
        return try #require(page.field("token"))
    }

    /// Posts a form of the page as its script does, for the user of the session or the link.
    func post(_ path: String, _ fields: [String: String] = [:]) throws -> Answer {
        var form = ["token": try token()]
        if path == "/auth/link" {
            form["account"] = try open(path).field("account")
        } else if path != "/auth/login" {
            form["account"] = try user()
        }
        return try send(
            path,
            form.merging(fields) { $1 },
            "-H 'Accept: application/json' -H 'Sec-Fetch-Site: same-origin' -H 'Origin: \(PasskeySite.origin)'"
        )
    }

    func logIn(_ user: String) throws -> Answer {
        try post("/auth/login", ["username": user, "password": "s3cret"])
    }

    /// Asks for options, and returns them with the ceremony.
    func options(
        _ path: String,
        _ fields: [String: String] = [:]
    ) throws -> (options: String, ceremony: String) {
        let answer = try post(path, fields)
        try #require(answer.status == 200, "\(answer.body)")
        let options = try #require(answer.json["options"])
        let text = String(decoding: try JSONSerialization.data(withJSONObject: options), as: UTF8.self)
        return (text, try #require(answer.json["ceremony"] as? String))
    }

    /// Adds a passkey.
    func enrol(
        _ authenticator: inout VirtualAuthenticator,
        named name: String = "Laptop",
        _ fields: [String: String] = [:]
    ) throws -> Answer {
        let (options, ceremony) = try options("/auth/passkeys/options", fields)
        let response = try authenticator.creating(options)
        let form = ["ceremony": ceremony, "response": response, "label": name]
        return try post("/auth/passkeys", fields.merging(form) { $1 })
    }

    /// Logs in with a passkey alone.
    func logIn(with authenticator: VirtualAuthenticator) throws -> Answer {
        let (options, ceremony) = try options("/auth/passkey/options")
        let response = try authenticator.answering(options)
        return try post("/auth/passkey", ["ceremony": ceremony, "response": response])
    }

    /// The user whom the proxy would let pass; `nil` for none.
    func user() throws -> String? {
        let head = try shell.run("curl -s -o /dev/null -D - -b \(name).jar \(url)/auth/check").text
        return head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix("remote-user: ") }
            .map { String($0.dropFirst("remote-user: ".count)) }
    }
}
