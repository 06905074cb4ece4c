// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// The notations that are text, with separators between the fields.
extension PBKDF2Hash {
    private static let base64 = Base64.standard.unpadded

    private static func unsupported() -> PasswordError {
        .unsupported("PBKDF2 can only be checked with SHA-1, SHA-256 and SHA-512")
    }

    private static func fields(_ text: some StringProtocol) throws(PasswordError) -> [Substring] {
        let fields = Substring(text).split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 4 else {
            throw .malformed("it must have four fields: name, iterations, salt, digest")
        }
        return fields
    }

    // MARK: passlib

    init(passlib text: String) throws(PasswordError) {
        let fields = try Self.fields(text.dropFirst())
        let function = fields[0] == "pbkdf2" ? .sha1 : Function(rawValue: String(fields[0].dropFirst(7)))
        guard let function, fields[0] != "pbkdf2-sha1" else { throw Self.unsupported() }
        try self.init(
            notation: .passlib,
            function: function,
            stated: PHCString.integer(fields[1], name: "iterations"),
            salt: Self.undotted(fields[2]),
            digest: Self.undotted(fields[3])
        )
    }

    var passlibText: String {
        let name = function == .sha1 ? "pbkdf2" : "pbkdf2-\(function.rawValue)"
        return "$\(name)$\(iterations)$\(Self.dotted(salt))$\(Self.dotted(digest))"
    }

    /// Decodes passlib's Base64, which has a dot in place of the plus.
    static func undotted(_ field: Substring) throws(PasswordError) -> [UInt8] {
        guard !field.contains("+"),
            let bytes = try? base64.decode(
                field.utf8.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: "+") : $0 }
            )
        else { throw .malformed("salt or digest is not passlib's variant of Base64") }
        return bytes
    }

    static func dotted(_ bytes: [UInt8]) -> String {
        String(base64.encode(bytes).map { $0 == "+" ? "." : $0 })
    }

    // MARK: PHC strings

    init(phc text: String) throws(PasswordError) {
        let phc = try PHCString(parsing: text)
        guard phc.version == nil else { throw .malformed("PBKDF2 hashes have no version field") }
        let function =
            phc.identifier == "pbkdf2" ? .sha1 : Function(rawValue: String(phc.identifier.dropFirst(7)))
        guard let function else { throw Self.unsupported() }
        let statesLength = phc.parameters.count > 1
        let values = try phc.integers(statesLength ? ["i", "l"] : ["i"])
        guard let salt = phc.salt, let digest = phc.digest else {
            throw .malformed("salt or digest is missing")
        }
        guard !statesLength || values[1] == digest.count else {
            throw .malformed("the digest does not have the stated length")
        }
        try self.init(
            notation: .phc(identifier: phc.identifier, statesLength: statesLength),
            function: function,
            stated: values[0],
            salt: salt,
            digest: digest
        )
    }

    func phcText(_ identifier: String, _ statesLength: Bool) -> String {
        PHCString(
            identifier: identifier,
            parameters: [.init(name: "i", value: "\(iterations)")]
                + (statesLength ? [.init(name: "l", value: "\(digest.count)")] : []),
            salt: salt,
            digest: digest
        ).description
    }

    // MARK: Django and Werkzeug

    init(django text: String) throws(PasswordError) {
        let fields = try Self.fields(text)
        guard let function = Function(rawValue: String(fields[0].dropFirst(7))), function != .sha512 else {
            throw Self.unsupported()
        }
        try self.init(
            notation: .django,
            function: function,
            stated: PHCString.integer(fields[1], name: "iterations"),
            salt: Array(fields[2].utf8),
            digest: HashField.base64(fields[3])
        )
    }

    var djangoText: String {
        "pbkdf2_\(function.rawValue)$\(iterations)$\(String(decoding: salt, as: UTF8.self))$"
            + Base64.standard.encode(digest)
    }

    init(werkzeug text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        let method = fields[0].split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 3, 2...3 ~= method.count else {
            throw .malformed("it must have the fields method, salt, digest")
        }
        guard let function = Function(rawValue: String(method[1])) else { throw Self.unsupported() }
        // Each version of Werkzeug has another default.
        guard method.count == 3 else {
            throw .unsupported("PBKDF2 without its iterations; state them, as in pbkdf2:\(function):150000$…")
        }
        try self.init(
            notation: .werkzeug,
            function: function,
            stated: PHCString.integer(method[2], name: "iterations"),
            salt: Array(fields[1].utf8),
            digest: HexDigest.parse(fields[2], byteCount: function.digestByteCount)
        )
    }

    var werkzeugText: String {
        "pbkdf2:\(function.rawValue):\(iterations)$\(String(decoding: salt, as: UTF8.self))$\(Hex.encode(digest))"
    }
}
