// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The key that a server and a device share to compute one-time codes: HOTP
/// ([RFC 4226](https://www.rfc-editor.org/rfc/rfc4226)), with a counter, and TOTP
/// ([RFC 6238](https://www.rfc-editor.org/rfc/rfc6238)), with the time.
///
/// ```swift
/// let key = try OneTimeCodeKey.generate(issuer: "Example", account: "alice@example.com")
/// show(try key.uri())                                     // as a QR code, once
/// try await table.store(key.uri(), for: "alice")          // encrypted
///
/// let key = try OneTimeCodeKey(uri: stored)
/// print(try key.code().text)                              // 049821
/// ```
///
/// A server verifies codes with `OneTimeCodeVerifier` of CredKitServer: comparing with ``code(at:)`` alone accepts a
/// code several times, and as many guesses as an attacker can send.
///
/// The key is a secret: it prints and mirrors without the seed. Every function that reads one has limits, and states what
/// it refuses.
public struct OneTimeCodeKey: Sendable {
    /// The sizes of seeds in bytes. A longer one would not fit into a QR code, and is not stronger than its digest.
    public static let seedByteCounts: ClosedRange<Int> = 1...1024

    /// The maximum length of an issuer and of an account, in bytes of UTF-8.
    public static let maximumNameByteCount = 256

    /// The periods of codes.
    public static let periods: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)

    /// The shared secret.
    public let seed: SecretBytes

    /// What the codes are computed from.
    public private(set) var kind: Kind

    /// The hash function of HMAC.
    public let algorithm: Algorithm

    /// The number of digits of a code, from 6 to 8.
    public let digitCount: Int

    /// The name of the server, which authenticator apps show; `nil` if it is not known.
    public let issuer: String?

    /// The user's name at the server, which authenticator apps show; empty if it is not known.
    public let account: String

    /// Creates a key from the bytes of its seed. For a seed in Base32 see ``init(base32:kind:algorithm:digitCount:issuer:account:)``.
    ///
    /// - Parameters:
    ///   - seed: The shared secret, of a size in ``seedByteCounts``; see ``isShort``.
    ///   - kind: What the codes are computed from. Default: the time, with a period of 30 seconds.
    ///   - algorithm: The hash function. Many authenticator apps ignore any other than the default.
    ///   - digitCount: The number of digits, from 6 to 8.
    ///   - issuer: The name of the server, without a colon, control characters, and spaces at its ends.
    ///   - account: The user's name at the server, likewise; with an issuer, it may have colons.
    /// - Throws: ``OneTimeCodeError/invalidParameters``, ``OneTimeCodeError/overLimit``.
    public init(
        seed: SecretBytes,
        kind: Kind = .time(period: .seconds(30)),
        algorithm: Algorithm = .sha1,
        digitCount: Int = 6,
        issuer: String? = nil,
        account: String = ""
    ) throws(OneTimeCodeError) {
        guard !seed.isEmpty else { throw .invalidParameters("the seed is empty") }
        guard seed.count <= Self.seedByteCounts.upperBound else {
            throw .overLimit(
                "the seed has \(seed.count) bytes; at most \(Self.seedByteCounts.upperBound) are accepted"
            )
        }
        guard OneTimeCode.digitCounts.contains(digitCount) else {
            throw .invalidParameters("a code has 6 to 8 digits, not \(digitCount)")
        }
        if case .time(let period) = kind {
            guard period.components.attoseconds == 0, Self.periods.contains(period) else {
                throw .invalidParameters("the period must be from 1 to 3600 whole seconds")
            }
        }
        if let issuer {
            guard !issuer.isEmpty else { throw .invalidParameters("the issuer is empty: leave it out") }
            try Self.check(issuer, "issuer", mayHaveColon: false)
        }
        try Self.check(account, "account", mayHaveColon: issuer != nil)
        self.seed = seed
        self.kind = kind
        self.algorithm = algorithm
        self.digitCount = digitCount
        self.issuer = issuer
        self.account = account
    }

    /// Whether the seed has less than the 128 bits that RFC 4226 requires: 80 bits are still common, and are read here.
    /// ``generate(kind:algorithm:digitCount:issuer:account:)`` never makes such a seed.
    public var isShort: Bool { seed.count < 16 }

    private static func check(_ name: String, _ kind: String, mayHaveColon: Bool) throws(OneTimeCodeError) {
        guard name.utf8.count <= maximumNameByteCount else {
            throw .overLimit("the \(kind) is longer than \(maximumNameByteCount) bytes")
        }
        let isPlain = name.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control && (mayHaveColon || $0 != ":")
        }
        guard isPlain, name.utf8.first != UInt8(ascii: " "), name.utf8.last != UInt8(ascii: " ") else {
            let colon = mayHaveColon ? "" : " or a colon"
            throw .invalidParameters(
                "the \(kind) has a control character\(colon), or begins or ends with a space"
            )
        }
    }

    /// Sets the counter of the next code.
    mutating func setCounter(_ counter: UInt64) { kind = .counter(next: counter) }
}

extension OneTimeCodeKey: Equatable {
    /// Returns whether two keys have the same seed, parameters and names. Names are compared as UTF-8, and the time does
    /// not depend on where the seeds differ.
    public static func == (left: Self, right: Self) -> Bool {
        left.seed == right.seed && left.kind == right.kind && left.algorithm == right.algorithm
            && left.digitCount == right.digitCount
            && left.issuer.map { Array($0.utf8) } == right.issuer.map { Array($0.utf8) }
            && left.account.utf8.elementsEqual(right.account.utf8)
    }
}

extension OneTimeCodeKey: CustomStringConvertible, CustomReflectable {
    /// The parameters, without seed and names.
    public var description: String { "‹key of \(kind), \(algorithm), \(digitCount) digits›" }

    /// A mirror without children: dumping a key reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OneTimeCodeKey {
    /// What codes are computed from.
    public enum Kind: Sendable, Hashable, CustomStringConvertible {
        /// A counter that grows by one with each code: HOTP.
        ///
        /// - Parameter next: The counter of the next code.
        case counter(next: UInt64)
        /// The number of periods since 1970: TOTP.
        ///
        /// - Parameter period: The time for which a code is current, from 1 to 3600 whole seconds; usually 30.
        case time(period: Duration)

        /// The name, and the period if there is one.
        public var description: String {
            switch self {
            case .counter: "HOTP"
            case .time(let period): "TOTP every \(period.components.seconds) s"
            }
        }
    }

    /// The hash function of HMAC. None of them is known to be weak here: HMAC does not need a function without collisions.
    public enum Algorithm: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// SHA-1, which every authenticator app supports.
        case sha1
        /// SHA-256.
        case sha256
        /// SHA-512.
        case sha512

        /// The name, such as `SHA-1`.
        public var description: String {
            switch self {
            case .sha1: "SHA-1"
            case .sha256: "SHA-256"
            case .sha512: "SHA-512"
            }
        }

        /// The size of a digest in bytes, which RFC 6238 recommends for the seed.
        public var digestByteCount: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }

        /// Creates the function of a name as programs write it, in any case: `SHA256`, `SHA-256`, `HMAC-SHA-256`.
        package init?(name: Span<UInt8>) {
            let found = Self.allCases.first { algorithm in
                let number = algorithm.uriName.dropFirst(3)
                return ["sha", "sha-", "hmacsha", "hmac-sha", "hmac-sha-"].contains { start in
                    name.isWord(start + number)
                }
            }
            guard let found else { return nil }
            self = found
        }

        /// The name in a URI.
        package var uriName: String {
            switch self {
            case .sha1: "SHA1"
            case .sha256: "SHA256"
            case .sha512: "SHA512"
            }
        }
    }
}

extension OneTimeCodeKey {
    /// Returns the key as an `otpauth://` URI, for a QR code, an authenticator app or a table of users.
    ///
    /// It contains the seed: show it once, over an encrypted connection, and store it encrypted. All fields are written,
    /// those with default values as well, and ``init(uri:)`` reads an equal key from it.
    ///
    /// - Returns: The URI, as ASCII.
    /// - Throws: ``OneTimeCodeError/outOfMemory``.
    public func uri() throws(OneTimeCodeError) -> SecretBytes {
        let (start, end) = publicParts
        let form = Base32.standard.unpadded
        return try seed.withSecretBytes { (seed) throws(OneTimeCodeError) in
            try .forCodes { () throws(SecretMemoryError) in
                let count = start.count + form.encodedByteCount(of: seed.count) + end.count
                return try SecretBytes(capacity: count) { output in
                    for byte in start { output.append(byte) }
                    form.encode(seed, into: &output)
                    for byte in end { output.append(byte) }
                }
            }
        }
    }

    /// What stands before and behind the seed.
    private var publicParts: (start: [UInt8], end: [UInt8]) {
        let prefix = issuer.map { PercentCoding.component.encode($0.utf8) }
        let type: String
        let last: String
        switch kind {
        case .counter(let next): (type, last) = ("hotp", "counter=\(next)")
        case .time(let period): (type, last) = ("totp", "period=\(period.components.seconds)")
        }
        let label = (prefix.map { "\($0):" } ?? "") + PercentCoding.component.encode(account.utf8)
        let start = "otpauth://\(type)/\(label)?secret="
        let end =
            (prefix.map { "&issuer=\($0)" } ?? "")
            + "&algorithm=\(algorithm.uriName)&digits=\(digitCount)&\(last)"
        return (Array(start.utf8), Array(end.utf8))
    }
}
