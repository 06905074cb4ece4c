// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// `:argon2:` before the text that PHP's `password_hash` makes, as MediaWiki writes it.
struct MediaWikiArgon2Hash: WrappedScheme {
    let unprefixed: any PasswordScheme

    private static let prefix = ":argon2:"

    static func recognizes(_ text: String) -> Bool { text.hasPrefix(prefix) }

    init(parsing text: String) throws(PasswordError) {
        let rest = String(text.dropFirst(Self.prefix.utf8.count))
        guard rest.hasPrefix("$argon2") else { throw .malformed("the text behind :argon2: is not of Argon2") }
        unprefixed = try Argon2Hash(parsing: rest)
    }

    var description: String { Self.prefix + unprefixed.description }
    var notation: String { "mediawiki" }
    var systems: [String] { ["MediaWiki"] }
}

/// `:bcrypt:5$salt$digest`: the cost without a leading zero, salt and digest of a `$2y$05$…`, as MediaWiki writes it.
struct MediaWikiBcryptHash: PrefixedCryptScheme {
    private let beginning: String
    var inner: any CryptScheme

    static let notation = "mediawiki"

    private static let prefix = ":bcrypt:"

    static func recognizes(_ text: String) -> Bool { text.hasPrefix(prefix) }

    init(parsing text: String) throws(PasswordError) {
        let fields = String(text.dropFirst(Self.prefix.utf8.count)).dollarFields
        guard fields.count == 3, fields[1].utf8.count == 22 else {
            throw .malformed("it must have the fields cost, salt, digest")
        }
        let cost = try PHCString.integer(fields[0], name: "cost")
        inner = try BcryptHash(parsing: "$2y$\(cost < 10 ? "0" : "")\(cost)$\(fields[1])\(fields[2])")
        beginning = "\(Self.prefix)\(cost)$\(fields[1])$"
    }

    /// Cost and salt, which the text has in another form than crypt(3).
    var prefixText: String { beginning }
    var description: String { beginning + inner.tail }
    var systems: [String] { ["MediaWiki"] }
}
