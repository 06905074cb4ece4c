// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The public key of a credential, in the form of COSE (RFC 9052, RFC 9053 §7, RFC 8230 §4) that
/// [WebAuthn](https://www.w3.org/TR/webauthn-3/#sctn-alg-identifier) prescribes.
///
/// A key has exactly the members of its kind, in their canonical order, so each key has one encoding.
struct COSEKey: Sendable {
    private enum Key: Sendable {
        /// libsodium verifies with it in half of the time that OpenSSL takes.
        case ed25519([UInt8])
        case other(MessageSignature.PublicKey)
    }

    let algorithm: WebAuthn.Algorithm
    private let key: Key

    /// Parses a key.
    ///
    /// - Parameter bytes: The key as CBOR, and nothing else.
    /// - Throws: `algorithmNotOffered` if the algorithm is unknown, `invalidPublicKey` if the key does not match it.
    init(parsing bytes: [UInt8]) throws(WebAuthn.Error) {
        let (algorithm, members) = try Self.members(of: bytes)
        guard members.map(\.key) == Self.labels(of: algorithm).map(CBORValue.integer) else {
            throw .invalidPublicKey("its members are not those of its algorithm, in the canonical order")
        }
        guard members[.integer(Label.kind)]?.integer == Self.kind(of: algorithm),
            let key = Self.key(for: algorithm, members)
        else { throw .invalidPublicKey("it is not one for its algorithm") }
        self.algorithm = algorithm
        self.key = key
    }

    /// Returns the algorithm and the members of a key, which are not checked.
    static func members(
        of bytes: [UInt8]
    ) throws(WebAuthn.Error) -> (algorithm: WebAuthn.Algorithm, members: [CBORValue.Member]) {
        let members: [CBORValue.Member]
        do throws(CBORReader.Failure) {
            members = try CBORReader.value(of: bytes).map ?? []
        } catch {
            throw .invalidPublicKey(error.rawValue)
        }
        guard let number = members[.integer(Label.algorithm)]?.integer else {
            throw .invalidPublicKey("it has no algorithm")
        }
        guard let algorithm = WebAuthn.Algorithm(rawValue: number) else { throw .algorithmNotOffered }
        return (algorithm, members)
    }

    /// Verifies a signature; those of ECDSA are in DER.
    func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch key {
        case .ed25519(let key): Ed25519.isValid(signature, of: message.span, under: key)
        case .other(let key):
            key.isValid(derSignature: signature, of: message.span, algorithm: algorithm.signatureAlgorithm)
        }
    }

    /// The numbers that stand for the names of members. What those below zero mean depends on the kind of key.
    private enum Label {
        static let kind = 1
        static let algorithm = 3
        static let curve = -1
        static let x = -2
        static let y = -3
        static let modulus = -1
        static let exponent = -2
    }

    private static func labels(of algorithm: WebAuthn.Algorithm) -> [Int] {
        switch algorithm {
        case .es256, .es384: [Label.kind, Label.algorithm, Label.curve, Label.x, Label.y]
        case .edDSA: [Label.kind, Label.algorithm, Label.curve, Label.x]
        case .rs256: [Label.kind, Label.algorithm, Label.modulus, Label.exponent]
        }
    }

    private static func kind(of algorithm: WebAuthn.Algorithm) -> Int {
        switch algorithm {
        case .edDSA: 1
        case .es256, .es384: 2
        case .rs256: 3
        }
    }

    private static func key(for algorithm: WebAuthn.Algorithm, _ members: [CBORValue.Member]) -> Key? {
        let key: MessageSignature.PublicKey?
        switch algorithm {
        case .es256: key = point(on: 1, named: "prime256v1", byteCount: 32, members)
        case .es384: key = point(on: 2, named: "secp384r1", byteCount: 48, members)
        case .edDSA:
            guard members[.integer(Label.curve)]?.integer == 6,
                let x = members[.integer(Label.x)]?.bytes, Ed25519.isPublicKey(x)
            else { return nil }
            return .ed25519(x)
        case .rs256:
            guard let modulus = members[.integer(Label.modulus)]?.bytes, modulus.first ?? 0 != 0,
                let exponent = members[.integer(Label.exponent)]?.bytes, exponent.first ?? 0 != 0
            else { return nil }
            key = MessageSignature.PublicKey(modulus: modulus, exponent: exponent)
        }
        guard let key, key.isUsable(for: algorithm.signatureAlgorithm) else { return nil }
        return .other(key)
    }

    private static func point(
        on curve: Int,
        named name: String,
        byteCount: Int,
        _ members: [CBORValue.Member]
    ) -> MessageSignature.PublicKey? {
        guard members[.integer(Label.curve)]?.integer == curve,
            let x = members[.integer(Label.x)]?.bytes, x.count == byteCount,
            let y = members[.integer(Label.y)]?.bytes, y.count == byteCount
        else { return nil }
        return MessageSignature.PublicKey(curve: name, point: [4] + x + y)
    }
}

extension WebAuthn.Algorithm {
    /// The algorithm by the name of RFC 9421, whose keys are checked.
    fileprivate var signatureAlgorithm: MessageSignature.Algorithm {
        switch self {
        case .es256: .ecdsaP256SHA256
        case .es384: .ecdsaP384SHA384
        case .edDSA: .ed25519
        case .rs256: .rsaPKCS1SHA256
        }
    }
}
