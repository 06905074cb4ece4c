// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Django's `md5$salt$hex`: MD5 of salt and password, some 10¹⁰ guesses a second. Verified only.
    ///
    /// Werkzeug's `md5$` is HMAC-MD5, with a salt of letters and digits whose length the caller chose, and web2py's is the
    /// digest of password and salt. Unless the length is one of Django's own salts, 5, 12 or 22, such a hash is verified by
    /// all three definitions, and is not layered.
    public static let djangoMD5 = Self("django-md5")

    /// Django's `sha1$salt$hex`: SHA-1 of salt and password, some 10¹⁰ guesses a second. Verified only. The salts of
    /// Werkzeug are treated as with ``djangoMD5``.
    public static let djangoSHA1 = Self("django-sha1")

    /// Werkzeug's `sha256$salt$hex`, `sha384$` and `sha512$`, before version 3: HMAC of the password with the salt as
    /// key, or without a salt the digest alone. Some 10⁹ guesses a second. Verified only.
    ///
    /// web2py's hashes of these names are the digest of the password and the salt. A hash with a salt is verified by both
    /// definitions, and is not layered.
    public static let werkzeugHMAC = Self("werkzeug-hmac")
}

/// `sha1$salt$digest`: one digest of a password, by the definition of Django's `MD5PasswordHasher` and
/// `SHA1PasswordHasher`, of old versions of Werkzeug, or of web2py. The salt is plain text, and can be empty.
struct FrameworkDigestHash: ByteDigestScheme {
    typealias Function = PasswordHash.LegacyHexAlgorithm.HashFunction

    /// What the digest is of. Without a salt, ``saltFirst`` and ``saltLast`` are the same.
    enum Definition: Sendable {
        /// The salt and the password, as Django has it.
        case saltFirst
        /// The password and the salt, as web2py has it.
        case saltLast
        /// HMAC of the password with the salt as key, as Werkzeug has it.
        case hmac
    }

    let function: Function
    let definition: Definition
    let saltText: String
    var digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.djangoMD5, .djangoSHA1, .werkzeugHMAC]

    static func recognizes(_ text: String) -> Bool {
        function(of: text) != nil && !AmbiguousFrameworkHash.recognizes(text)
    }

    /// Returns the function whose name a text begins with.
    static func function(of text: String) -> Function? {
        Function.allCases.first { text.hasPrefix("\($0.rawValue)$") }
    }

    init(parsing text: String) throws(PasswordError) { try self.init(parsing: text, definition: nil) }

    /// Parses a text. Without a definition, its function decides: Django's, or Werkzeug's.
    init(parsing text: String, definition: Definition?) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 3, let function = Function(rawValue: String(fields[0])) else {
            throw .malformed("it must have three fields: name, salt, digest")
        }
        self.function = function
        saltText = String(fields[1])
        // Without a salt all of them hash the password alone.
        self.definition =
            saltText.isEmpty ? .saltFirst : definition ?? (function.isDjango ? .saltFirst : .hmac)
        digest = try HexDigest.parse(fields[2], byteCount: function.digestByteCount)
    }

    var description: String { "\(function.rawValue)$\(saltText)$\(Hex.encode(digest))" }

    var scheme: PasswordHash.Scheme {
        switch function {
        case .md5: .djangoMD5
        case .sha1: .djangoSHA1
        case .sha256, .sha384, .sha512: .werkzeugHMAC
        }
    }

    var weakness: String? {
        switch (function, saltText.isEmpty) {
        case (.md5, false): "one MD5: some 10¹⁰ guesses a second on one graphics card"
        case (.sha1, false): "one SHA-1: some 10¹⁰ guesses a second on one graphics card"
        case (_, false): "one HMAC: some 10⁹ guesses a second on one graphics card"
        case (_, true): "one fast hash without a salt: some 10¹⁰ guesses a second, against all users at once"
        }
    }
    var parameters: [PasswordHash.Parameter] {
        function.isDjango ? [] : [.init("function", function.rawValue)]
    }
    var salt: [UInt8] { Array(saltText.utf8) }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        switch definition {
        case .saltFirst: try function.digest(of: password, salt: salt, isPrefix: true)
        case .saltLast: try function.digest(of: password, salt: salt)
        case .hmac: try function.authenticationCode(of: password, key: salt)
        }
    }
}

extension PasswordHash.LegacyHexAlgorithm.HashFunction {
    /// Whether Django has hashes of this name. All of the names are Werkzeug's.
    var isDjango: Bool { self == .md5 || self == .sha1 }
}
