// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The accounts of an `otpauth-migration://` URI: what the QR codes contain with which Google Authenticator exports its
/// accounts.
///
/// ```swift
/// let export = try OneTimeCodeExport(uri: scanned)
/// for key in export.keys { try await store(key.uri()) }
/// for refusal in export.refusals { print(refusal) }
/// ```
///
/// Google has not published the format. This reads the fields that
/// [Aegis](https://github.com/beemdevelopment/Aegis/blob/master/app/src/main/proto/google_auth.proto) and other
/// authenticator apps read, and ignores unknown ones. The URI contains all seeds: store it encrypted, or not at all.
public struct OneTimeCodeExport: Sendable {
    /// The maximum length of a URI in bytes: more than a QR code can hold.
    public static let maximumByteCount = 65_536

    /// The maximum number of accounts.
    public static let maximumAccountCount = 1000

    /// An account that the export has and no ``OneTimeCodeKey`` can be of.
    public struct Refusal: Sendable, CustomStringConvertible {
        /// The name of the server; `nil` if it is not known.
        public let issuer: String?
        /// The user's name at the server; empty if it is not known.
        public let account: String
        /// The reason, such as ``OneTimeCodeError/unsupported`` for MD5.
        public let error: OneTimeCodeError

        /// The names and the reason, without the seed.
        public var description: String { "\(issuer.map { "\($0):" } ?? "")\(account): \(error)" }
    }

    /// The keys, in the order of the export. One with a counter has the counter of the next code.
    public private(set) var keys: [OneTimeCodeKey] = []

    /// The accounts that were refused, in the order of the export.
    public private(set) var refusals: [Refusal] = []

    /// The number of this part, from 1: an export of many accounts is several QR codes.
    public private(set) var part = 1

    /// The number of parts of the export.
    public private(set) var partCount = 1

    /// Reads a URI.
    ///
    /// An account with an unknown or unsupported hash function, number of digits or kind, or with invalid names or
    /// an invalid seed, is one of the ``refusals``; the others are read.
    ///
    /// - Parameter uri: The URI, at most ``maximumByteCount`` bytes. White space around it is ignored.
    /// - Throws: ``OneTimeCodeError/wrongScheme``, ``OneTimeCodeError/malformedURI``, ``OneTimeCodeError/missingField``,
    ///   ``OneTimeCodeError/repeatedField``, ``OneTimeCodeError/overLimit``, ``OneTimeCodeError/outOfMemory``.
    public init(uri: some SecretInput) throws(OneTimeCodeError) {
        let payload = try uri.withSecretBytes { (uri) throws(OneTimeCodeError) in
            try Self.payload(of: uri.extracting(uri.trimmedRange))
        }
        try self.init(payload: payload)
    }

    /// Returns whether a text is an `otpauth-migration:` URI by its scheme.
    ///
    /// - Parameter uri: The text.
    /// - Returns: Whether it has the scheme.
    public static func isExport(_ uri: some SecretInput) -> Bool {
        uri.withSecretBytes { $0.extracting($0.trimmedRange).hasPrefix("otpauth-migration:") }
    }

    /// Reads a message `MigrationPayload`.
    init(payload: some SecretInput) throws(OneTimeCodeError) {
        self = try payload.withSecretBytes { (payload) throws(OneTimeCodeError) in
            try OneTimeCodeExport(message: payload)
        }
    }

    private init(message: Span<UInt8>) throws(OneTimeCodeError) {
        var reader = ProtobufReader(0..<message.count)
        var numbers: [UInt64: UInt64] = [:]
        while let field = try reader.next(of: message) {
            switch (field.number, field.value) {
            case (1, .bytes(let account)): try add(account, of: message)
            case (2...5, .number(let number)):
                guard numbers.updateValue(number, forKey: field.number) == nil else {
                    throw .malformedExport("a field occurs twice")
                }
            case (1...5, _): throw .malformedExport("a field has the wrong form")
            default: break
            }
        }
        let count = max(1, numbers[3] ?? 1)
        let index = numbers[4] ?? 0
        guard count <= UInt64(Int32.max), index < count else {
            throw .malformedExport("the number of its part is not below the number of parts")
        }
        (part, partCount) = (Int(index) + 1, Int(count))
    }

    private mutating func add(_ range: Range<Int>, of message: Span<UInt8>) throws(OneTimeCodeError) {
        guard keys.count + refusals.count < Self.maximumAccountCount else {
            throw .overLimit("the export has more than \(Self.maximumAccountCount) accounts")
        }
        let account = try Account(range, of: message)
        do throws(OneTimeCodeError) {
            keys.append(try account.key(of: message))
        } catch {
            guard error != .outOfMemory else { throw error }
            let (issuer, name) = account.names
            refusals.append(Refusal(issuer: issuer, account: name, error: error))
        }
    }
}

extension OneTimeCodeExport {
    /// Returns the message that a URI contains: its field `data`, in Base64.
    private static func payload(of uri: Span<UInt8>) throws(OneTimeCodeError) -> SecretBytes {
        guard uri.count <= maximumByteCount else {
            throw .overLimit("the URI has \(uri.count) bytes; at most \(maximumByteCount) are accepted")
        }
        let start = "otpauth-migration://offline?"
        guard uri.hasPrefix(start) else {
            throw OneTimeCodeError(.wrongScheme, message: "not an \(start)data=… URI")
        }
        var data: Range<Int>?
        var rest = start.utf8.count
        while rest < uri.count {
            let end = uri.firstIndex(of: UInt8(ascii: "&"), in: rest..<uri.count) ?? uri.count
            let sign = uri.firstIndex(of: UInt8(ascii: "="), in: rest..<end) ?? end
            if sign < end, uri.extracting(rest..<sign).isWord("data") {
                guard data == nil else { throw .malformedExport("'data' occurs twice") }
                data = (sign + 1)..<end
            }
            rest = end + 1
        }
        guard let data else {
            throw OneTimeCodeError(.missingField, message: "the otpauth-migration:// URI has no 'data'")
        }
        let text: SecretBytes
        do throws(OneTimeCodeError) {
            text = try SecretBytes.unescaping(uri.extracting(data))
        } catch {
            guard error.code == .malformedURI else { throw error }
            throw .malformedExport("a % is not followed by two hexadecimal digits")
        }
        return try text.withSecretBytes { (text) throws(OneTimeCodeError) in try decode(text) }
    }

    private static func decode(_ text: Span<UInt8>) throws(OneTimeCodeError) -> SecretBytes {
        let form = text.count % 4 == 0 ? Base64.standard : Base64.standard.unpadded
        var failure: Base64.DecodingError?
        let message: SecretBytes = try .forCodes { () throws(SecretMemoryError) in
            try SecretBytes(capacity: form.maximumDecodedByteCount(of: text.count)) { output in
                do throws(Base64.DecodingError) {
                    try form.decode(text, into: &output)
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw .malformedExport("'data' is not Base64: \(failure)") }
        return message
    }
}

/// A message `OtpParameters`. The seed is a range of the export, which is a secret.
private struct Account {
    private var seed: Range<Int>?
    private var name = ""
    private var issuer = ""
    private var hasMalformedName = false
    /// The numbers of hash function (4), digits (5), kind (6) and counter (7). One that is 0 is not written.
    private var numbers: [UInt64: UInt64] = [:]

    init(_ range: Range<Int>, of message: Span<UInt8>) throws(OneTimeCodeError) {
        var reader = ProtobufReader(range)
        var seen: Set<UInt64> = []
        while let field = try reader.next(of: message) {
            guard field.number > 7 || seen.insert(field.number).inserted else {
                throw .malformedExport("a field of an account occurs twice")
            }
            switch (field.number, field.value) {
            case (1, .bytes(let range)): seed = range
            case (2, .bytes(let range)): name = text(range, of: message)
            case (3, .bytes(let range)): issuer = text(range, of: message)
            case (4...7, .number(let number)): numbers[field.number] = number
            case (1...7, _): throw .malformedExport("a field of an account has the wrong form")
            default: break
            }
        }
    }

    /// Returns a name; without what is not UTF-8, which refuses this account alone.
    private mutating func text(_ range: Range<Int>, of message: Span<UInt8>) -> String {
        if let text = String(validating: range.map({ message[$0] }), as: UTF8.self) { return text }
        hasMalformedName = true
        return ""
    }

    /// Issuer and account. The name often begins with the issuer, as the label of an `otpauth://` URI does.
    var names: (issuer: String?, account: String) {
        let issuer = OneTimeCodeKey.trimmed(issuer[...])
        let (prefix, rest) = OneTimeCodeKey.split(name)
        if issuer.isEmpty { return (prefix.isEmpty ? nil : prefix, rest) }
        let isRepeated = prefix.utf8.elementsEqual(issuer.utf8)
        return (issuer, isRepeated ? rest : OneTimeCodeKey.trimmed(name[...]))
    }

    func key(of message: Span<UInt8>) throws(OneTimeCodeError) -> OneTimeCodeKey {
        guard !hasMalformedName else { throw .invalidParameters("a name is not UTF-8") }
        let range = seed ?? 0..<0
        let (issuer, account) = names
        return try OneTimeCodeKey(
            seed: .forCodes { () throws(SecretMemoryError) in
                try SecretBytes(capacity: range.count) { output in
                    for index in range { output.append(message[index]) }
                }
            },
            kind: kind(),
            algorithm: algorithm(),
            digitCount: digitCount(),
            issuer: issuer,
            account: account
        )
    }

    private func algorithm() throws(OneTimeCodeError) -> OneTimeCodeKey.Algorithm {
        switch numbers[4] ?? 0 {
        case 0, 1: return .sha1
        case 2: return .sha256
        case 3: return .sha512
        case 4: throw .unsupported("the hash function is MD5")
        case let number: throw .unsupported("the hash function has the unknown number \(number)")
        }
    }

    private func digitCount() throws(OneTimeCodeError) -> Int {
        switch numbers[5] ?? 0 {
        case 0, 1: return 6
        case 2: return 8
        case 3: return 7
        case let number: throw .unsupported("the number of digits has the unknown number \(number)")
        }
    }

    private func kind() throws(OneTimeCodeError) -> OneTimeCodeKey.Kind {
        switch numbers[6] ?? 0 {
        case 1:
            let counter = numbers[7] ?? 0
            guard counter <= UInt64(Int64.max) else { throw .invalidParameters("the counter is negative") }
            return .counter(next: counter)
        case 0, 2: return .time(period: .seconds(30))
        case let number: throw .unsupported("the kind of codes has the unknown number \(number)")
        }
    }
}
