// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A hash in the [PHC string format](https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md):
/// `$id$v=1$name=value,…$salt$hash`.
///
/// Parsing is strict: each value has exactly one text. Empty fields other than a salt before a hash, unknown
/// characters, repeated names, Base64 with padding or nonzero trailing bits, and anything behind the hash are rejected.
package struct PHCString: Sendable, Hashable, CustomStringConvertible {
    package struct Parameter: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// The name of the function: 1 to 32 characters of `a-z`, `0-9` and `-`.
    package let identifier: String
    package let version: UInt32?
    package let parameters: [Parameter]
    package let salt: [UInt8]?
    package let digest: [UInt8]?

    package init(
        identifier: String,
        version: UInt32? = nil,
        parameters: [Parameter],
        salt: [UInt8]?,
        digest: [UInt8]?
    ) {
        self.identifier = identifier
        self.version = version
        self.parameters = parameters
        self.salt = salt
        self.digest = digest
    }

    package init(parsing text: some StringProtocol) throws(PasswordError) {
        var fields = text.split(separator: "$", omittingEmptySubsequences: false)[...]
        guard fields.popFirst()?.isEmpty == true, let identifier = fields.popFirst() else {
            throw .malformed("it does not begin with '$' and a name")
        }
        guard Self.isName(identifier) else { throw .malformed("the name of the scheme is invalid") }
        self.identifier = String(identifier)

        if let field = fields.first, field.hasPrefix("v="), !field.contains(",") {
            version = try Self.integer(field.dropFirst(2), name: "v")
            fields.removeFirst()
        } else {
            version = nil
        }
        var parameters: [Parameter] = []
        // A '=' occurs neither in salts nor in hashes.
        if let field = fields.first, field.contains("=") {
            for part in field.split(separator: ",", omittingEmptySubsequences: false) {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2, Self.isName(pair[0]), Self.isValue(pair[1]) else {
                    throw .malformed("a parameter is not of the form name=value")
                }
                guard !parameters.contains(where: { $0.name == pair[0] }) else {
                    throw .malformed("a parameter is repeated")
                }
                parameters.append(Parameter(name: String(pair[0]), value: String(pair[1])))
            }
            fields.removeFirst()
        }
        self.parameters = parameters
        // Some writers can be told to use no salt.
        salt = try fields.popFirst().map { (field) throws(PasswordError) in
            field.isEmpty && !fields.isEmpty ? [] : try Self.bytes(field, of: "salt")
        }
        digest = try fields.popFirst().map { (field) throws(PasswordError) in
            try Self.bytes(field, of: "digest")
        }
        guard fields.isEmpty else { throw .malformed("there is unexpected data behind the digest") }
    }

    /// Returns the values of the parameters with the given names. The parameters must be these in this order,
    /// followed by `others` and nothing else.
    package func integers(
        _ names: [String],
        before others: [String] = []
    ) throws(PasswordError) -> [UInt32] {
        guard parameters.map(\.name) == names + others else {
            throw .malformed("the parameters must be \(names.joined(separator: ", ")), in this order")
        }
        var values: [UInt32] = []
        for parameter in parameters.prefix(names.count) {
            values.append(try Self.integer(parameter.value, name: parameter.name))
        }
        return values
    }

    package var description: String {
        var text = "$\(identifier)"
        if let version { text += "$v=\(version)" }
        if !parameters.isEmpty {
            text += "$" + parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
        }
        for bytes in [salt, digest] {
            if let bytes { text += "$" + Base64.standard.unpadded.encode(bytes) }
        }
        return text
    }

    /// Parses a number of a hash string: decimal, without sign and leading zeros, less than 2³².
    static func integer(_ text: some StringProtocol, name: String) throws(PasswordError) -> UInt32 {
        guard let first = text.utf8.first, text.utf8.allSatisfy({ 48...57 ~= $0 }),
            first != UInt8(ascii: "0") || text.utf8.count == 1
        else { throw .malformed("'\(name)' is not a decimal number without leading zeros") }
        guard let value = UInt32(text) else { throw .malformed("'\(name)' is 2³² or more") }
        return value
    }

    private static func isName(_ text: some StringProtocol) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { 97...122 ~= $0 || 48...57 ~= $0 || $0 == UInt8(ascii: "-") }
    }

    /// Returns whether a text has only characters that are allowed in parameter values.
    static func isValue(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                97...122 ~= byte || 65...90 ~= byte || 48...57 ~= byte || "/+.-".utf8.contains(byte)
            }
    }

    private static func bytes(
        _ field: some StringProtocol,
        of name: String
    ) throws(PasswordError) -> [UInt8] {
        guard !field.isEmpty else { throw .malformed("the \(name) is empty") }
        do throws(Base64.DecodingError) {
            return try Base64.standard.unpadded.decode(field)
        } catch {
            throw .malformed("the \(name) is not Base64 without padding: \(error)")
        }
    }
}

/// Fields of stored hashes in encodings that several schemes have.
enum HashField {
    /// Parses Base64 with padding.
    static func base64(_ text: Substring) throws(PasswordError) -> [UInt8] {
        do throws(Base64.DecodingError) {
            return try Base64.standard.decode(text)
        } catch {
            throw .malformed("the digest is not Base64 with padding: \(error)")
        }
    }

    /// Parses a number that must be a power of two, and returns its binary logarithm.
    static func logarithm(_ text: some StringProtocol, name: String) throws(PasswordError) -> Int {
        let value = try PHCString.integer(text, name: name)
        guard value.nonzeroBitCount == 1 else { throw .malformed("'\(name)' is not a power of two") }
        return value.trailingZeroBitCount
    }
}

extension String {
    /// The fields between dollar signs, empty ones included. Bytes are compared, which is several times as fast as
    /// comparing characters.
    var dollarFields: [Substring] {
        utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
