// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The unencrypted header of a database: fields with a number and a length.
struct KDBXHeader {
    enum Version {
        /// 3.1, in which only the document authenticates the header.
        case three
        case four
    }

    enum Cipher {
        case aes256
        case chaCha20

        var vectorByteCount: Int {
            self == .aes256 ? AESCBC.blockByteCount : StreamCipher.chacha20.nonceByteCount
        }
    }

    /// The numbers of the fields that are read.
    private enum Field: UInt8 {
        case end = 0
        case comment, cipher, compression, masterSeed, transformSeed, transformRounds, vector, streamKey
        case startBytes, stream, keyDerivation, publicData
    }

    static let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A]
    private static let seedByteCount = 32

    let version: Version
    let cipher: Cipher
    let isCompressed: Bool
    let masterSeed: [UInt8]
    let vector: [UInt8]
    let keyDerivation: KDBXKeyDerivation
    /// The first decrypted bytes of version 3, which show that the key is right.
    let startBytes: [UInt8]
    /// The inner stream of version 3: its number and its key.
    let innerStream: (number: UInt32, key: [UInt8])
    /// The size of the header in bytes.
    let byteCount: Int

    init(_ bytes: [UInt8]) throws(KeychainError) {
        version = try Self.version(of: bytes)
        var reader = ByteReader(at: 12, of: "database")
        let fields = try Self.fields(of: bytes.span, &reader, version)
        byteCount = reader.position
        func field(_ field: Field, count: Int? = nil) throws(KeychainError) -> [UInt8] {
            guard let value = fields[field], count.map({ $0 == value.count }) ?? true else {
                throw .damaged(
                    "the database is damaged: a field of its header is missing or has a wrong size"
                )
            }
            return value
        }
        cipher = try Self.cipher(try field(.cipher, count: 16))
        vector = try field(.vector, count: cipher.vectorByteCount)
        masterSeed = try field(.masterSeed, count: Self.seedByteCount)
        switch try Self.number(field(.compression, count: 4)) {
        case 0: isCompressed = false
        case 1: isCompressed = true
        default: throw .unsupported("the database is compressed in an unknown way")
        }
        switch version {
        case .three:
            keyDerivation = .aes(
                seed: try field(.transformSeed, count: AESKDF.keyByteCount),
                rounds: Self.number(try field(.transformRounds, count: 8))
            )
            startBytes = try field(.startBytes, count: Self.seedByteCount)
            let number = UInt32(truncatingIfNeeded: Self.number(try field(.stream, count: 4)))
            innerStream = (number, try field(.streamKey))
        case .four:
            keyDerivation = try KDBXKeyDerivation(field(.keyDerivation))
            startBytes = []
            innerStream = (0, [])
        }
    }

    /// Returns the version, for which the fields are read.
    private static func version(of bytes: [UInt8]) throws(KeychainError) -> Version {
        guard KeePassDatabase.isDatabase(bytes) else {
            throw .damaged("the file is not a database of KeePass, or its beginning is damaged")
        }
        let advice = "open it with a current KeePass or KeePassXC, and save it in the format KDBX 4"
        guard bytes[4] == 0x67 else {
            throw .unsupported(
                "this is a database of KeePass 1, or of a test version of KeePass 2: \(advice)"
            )
        }
        guard bytes.count >= 12 else { throw .damaged("the database is damaged: a part of it is missing") }
        let (minor, major) = (Int(bytes[8]) | Int(bytes[9]) << 8, Int(bytes[10]) | Int(bytes[11]) << 8)
        switch (major, minor) {
        case (3, 1): return .three
        case (4, 0), (4, 1): return .four
        default:
            throw .unsupported(
                "the database has the format KDBX \(major).\(minor); 3.1, 4.0 and 4.1 are supported: \(advice)"
            )
        }
    }

    private static func fields(
        of bytes: Span<UInt8>,
        _ reader: inout ByteReader,
        _ version: Version
    ) throws(KeychainError) -> [Field: [UInt8]] {
        var fields: [Field: [UInt8]] = [:]
        while true {
            let number = try reader.number(UInt8.self, of: bytes)
            let count =
                version == .three
                ? Int(try reader.number(UInt16.self, of: bytes))
                : Int(try reader.number(UInt32.self, of: bytes))
            let value = try reader.read(count, of: bytes)
            guard let field = Field(rawValue: number) else {
                throw .unsupported("the header of the database has the unknown field \(number)")
            }
            if field == .end { return fields }
            guard fields.updateValue(value, forKey: field) == nil || field == .comment else {
                throw .damaged("the database is damaged: its header has a field twice")
            }
        }
    }

    private static func cipher(_ identifier: [UInt8]) throws(KeychainError) -> Cipher {
        switch Hex.encode(identifier) {
        case "31c1f2e6bf714350be5805216afc5aff": return .aes256
        case "d6038a2b8b6f4cb5a524339a31dbb59a": return .chaCha20
        case "ad68f29f576f4bb9a36ad47af965346c":
            throw .unsupported(
                "the database is encrypted with Twofish: change its encryption to AES-256 or ChaCha20 in KeePassXC"
            )
        default:
            throw .unsupported("the database has an unknown encryption; AES-256 and ChaCha20 are supported")
        }
    }

    /// Returns a number of at most eight bytes.
    private static func number(_ bytes: [UInt8]) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
