// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

/// A server whose users change what is theirs: those of ``PasskeySite``.
enum AccountSite {
    static let options =
        "--passkeys passkeys.json --account-changes --recovery-codes recovery --password-minimum-length 8 --attempts 100"
    static let newPassword = "a password of many words"
    static let html = "-H 'Accept: text/html'"

    static func with(_ body: (PasskeySite) throws -> Void) throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        try body(PasskeySite(shell, options))
    }

    /// The one-time code of a key, by a number of periods from now.
    static func code(_ seed: String, after periods: Int = 0) throws -> String {
        try OneTimeCodeKey(base32: seed).code(at: .now + .seconds(30 * periods)).text
    }
}

extension PasskeySite {
    /// Runs `credkit-server users` with the options of the server, and returns the link that it prints.
    func link(_ action: String, _ user: String) throws -> String {
        let made = try shell.run(
            "credkit-server users \(action) \(user) \(Self.options) \(AccountSite.options)"
        )
        try #require(made.status == 0, "\(made.errors)")
        let beginning = "\(Self.origin)/auth/link?token="
        let line = try #require(
            made.text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(beginning) }
        )
        return String(line.dropFirst(Self.origin.count))
    }
}

extension PasskeyBrowser {
    /// Opens a page of the account.
    func open(_ path: String) throws -> Answer { try send(path, nil, AccountSite.html) }

    /// What the page announces; `nil` for nothing.
    func notice(of answer: Answer) -> String? {
        guard let start = answer.body.range(of: "id=\"notice\" tabindex=\"-1\" autofocus>") else {
            return nil
        }
        return String(answer.body[start.upperBound...].prefix { $0 != "<" })
    }

    func logIn(_ user: String, password: String, _ fields: [String: String] = [:]) throws -> Answer {
        try post("/auth/login", ["username": user, "password": password].merging(fields) { $1 })
    }

    func changePassword(
        from old: String = "s3cret",
        to new: String = AccountSite.newPassword,
        again: String? = nil,
        _ fields: [String: String] = [:]
    ) throws -> Answer {
        let form = ["password": old, "new": new, "again": again ?? new]
        return try post("/auth/password", form.merging(fields) { $1 })
    }

    /// Opens a link, until the server has read the users file that has its user.
    func follow(_ link: String) throws -> Answer {
        for _ in 0..<200 {
            #expect(try open(link).status == 303)
            let page = try open("/auth/link")
            if page.status == 200 { return page }
            usleep(50_000)
        }
        return try open("/auth/link")
    }

    /// Chooses a password with a link that was opened.
    func choose(_ password: String = AccountSite.newPassword) throws -> Answer {
        try post("/auth/link", ["new": password, "again": password])
    }
}
