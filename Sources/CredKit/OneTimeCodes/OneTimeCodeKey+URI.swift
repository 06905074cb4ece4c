// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension OneTimeCodeKey {
    /// Reads an `otpauth://` URI, which is what the QR codes of authenticator apps contain.
    ///
    /// Required are the field `secret` and, for HOTP, `counter`. Defaults are SHA-1, 6 digits and 30 seconds. The issuer
    /// stands in the label, in the field `issuer` or in both, and is the same then. Each known field occurs once; names of
    /// fields, `totp`, `hotp` and the algorithm are accepted in any case, and spaces need no escape. Unknown fields are
    /// ignored and not kept, except that `encoder` is rejected, because it changes the codes: those of Steam, for instance,
    /// have letters. The seed is read as by ``init(base32:kind:algorithm:digitCount:issuer:account:)``. A short one is
    /// accepted: see ``isShort``.
    ///
    /// - Parameter uri: The URI, at most 8192 bytes. White space around it is ignored.
    /// - Throws: ``OneTimeCodeError``, with a code that says what is wrong.
    public init(uri: some SecretInput) throws(OneTimeCodeError) {
        try self.init(uri: uri, hasNames: true)
    }

    /// Reads a URI without its issuer and account, for an entry of another program that has names of its own: such programs
    /// write any title as an issuer.
    package init(ignoringNamesOf uri: some SecretInput) throws(OneTimeCodeError) {
        try self.init(uri: uri, hasNames: false)
    }

    private init(uri: some SecretInput, hasNames: Bool) throws(OneTimeCodeError) {
        self = try uri.withSecretBytes { (text) throws(OneTimeCodeError) in
            let uri = text.extracting(text.trimmedRange)
            return try OneTimeCodeKey(parts: try OneTimeCodeURI(uri), of: uri, hasNames: hasNames)
        }
    }

    /// Judges the values. What holds for keys of any origin is for
    /// ``init(seed:kind:algorithm:digitCount:issuer:account:)``; here stand only the limits that a number needs.
    private init(parts: OneTimeCodeURI, of uri: Span<UInt8>, hasNames: Bool) throws(OneTimeCodeError) {
        let type = uri.extracting(parts.type)
        let isTime = type.isWord("totp")
        guard !type.isWord("steam") else { throw .steam }
        guard isTime || type.isWord("hotp") else {
            throw .unsupported("the type of the URI is neither 'totp' nor 'hotp'")
        }
        if let encoder = parts.fields[.encoder] {
            guard !uri.extracting(encoder).isWord("steam") else { throw .steam }
            throw .unsupported("the field 'encoder' asks for codes that are not decimal digits")
        }
        var (issuer, account): (String?, String) = (nil, "")
        if hasNames { (issuer, account) = try Self.names(parts, of: uri) }

        let kind: Kind
        if isTime {
            let period = try Self.number(.period, parts, of: uri, default: 30)
            guard let period, period <= Self.periods.upperBound.components.seconds else {
                throw .invalidParameters("the period must be from 1 to 3600 seconds")
            }
            kind = .time(period: .seconds(Int64(period)))
        } else {
            guard parts.fields[.counter] != nil else { throw .missingField("counter") }
            guard let counter = try Self.number(.counter, parts, of: uri, default: 0) else {
                throw .invalidParameters("the counter must be a number below 2 to the power of 64")
            }
            kind = .counter(next: counter)
        }
        guard let digits = try Self.number(.digits, parts, of: uri, default: 6),
            digits <= OneTimeCode.digitCounts.upperBound
        else {
            throw .invalidParameters("a code has 6 to 8 digits")
        }
        try self.init(
            seed: try Self.seed(parts, of: uri),
            kind: kind,
            algorithm: try Self.algorithm(parts, of: uri),
            digitCount: Int(digits),
            issuer: issuer,
            account: account
        )
    }

    private static func names(
        _ parts: OneTimeCodeURI,
        of uri: Span<UInt8>
    ) throws(OneTimeCodeError) -> (issuer: String?, account: String) {
        let (prefix, account) = split(try text(parts.label, of: uri))
        let field = try parts.fields[.issuer].map { (range) throws(OneTimeCodeError) in
            trimmed(try text(range, of: uri)[...])
        }
        return (try issuer(prefix: prefix, field: field ?? ""), account)
    }

    private static func seed(
        _ parts: OneTimeCodeURI,
        of uri: Span<UInt8>
    ) throws(OneTimeCodeError) -> SecretBytes {
        guard let range = parts.fields[.secret] else { throw .missingField("secret") }
        return try SecretBytes.unescaping(uri.extracting(range)).withSecretBytes {
            (text) throws(OneTimeCodeError) in try seed(base32: text)
        }
    }

    private static func algorithm(
        _ parts: OneTimeCodeURI,
        of uri: Span<UInt8>
    ) throws(OneTimeCodeError) -> Algorithm {
        guard let range = parts.fields[.algorithm] else { return .sha1 }
        guard let algorithm = Algorithm(name: uri.extracting(range)) else {
            throw .unsupported("the algorithm is none of SHA1, SHA256 and SHA512")
        }
        return algorithm
    }

    /// Returns the number of a field, or `nil` if it is malformed or too large.
    private static func number(
        _ field: OneTimeCodeURI.Field,
        _ parts: OneTimeCodeURI,
        of uri: Span<UInt8>,
        default standard: UInt64
    ) throws(OneTimeCodeError) -> UInt64? {
        guard let range = parts.fields[field] else { return standard }
        guard 1...20 ~= range.count else { return nil }
        var number: UInt64 = 0
        for index in range {
            guard 0x30...0x39 ~= uri[index] else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(UInt64(uri[index] - 0x30))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return number
    }

    private static func text(_ range: Range<Int>, of uri: Span<UInt8>) throws(OneTimeCodeError) -> String {
        let bytes: [UInt8]
        do throws(PercentCoding.DecodingError) {
            bytes = try PercentCoding.component.decode(uri.extracting(range))
        } catch {
            throw .malformedEscape
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformedURI("a name is not UTF-8")
        }
        return text
    }

    /// Divides a label at its first colon into issuer and account. Bytes, because an accent behind the colon would belong to
    /// the same character.
    static func split(_ label: String) -> (issuer: String, account: String) {
        guard let colon = label.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return ("", trimmed(label[...]))
        }
        return (trimmed(label[..<colon]), trimmed(label[label.utf8.index(after: colon)...]))
    }

    /// Returns a name without the spaces at its ends.
    static func trimmed(_ name: Substring) -> String {
        var bytes = name.utf8
        while bytes.first == UInt8(ascii: " ") { bytes.removeFirst() }
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        return String(Substring(bytes))
    }

    private static func issuer(prefix: String, field: String) throws(OneTimeCodeError) -> String? {
        guard !prefix.isEmpty, !field.isEmpty else {
            let issuer = prefix + field
            return issuer.isEmpty ? nil : issuer
        }
        // Encoders of forms write a space of the field as a plus.
        let decoded = field.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard prefix.utf8.elementsEqual(field.utf8) || prefix.utf8.elementsEqual(decoded) else {
            throw .conflictingIssuers
        }
        return prefix
    }
}
