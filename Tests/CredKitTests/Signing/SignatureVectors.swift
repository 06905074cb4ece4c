// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

/// A case of RFC 9421: a message with a signature.
struct SignatureVector: Decodable, Sendable {
    struct Request: Decodable {
        let method, scheme, authority, path: String
        let query: String?
        let fields: [[String]]
    }

    struct Response: Decodable {
        let status: Int
        let fields: [[String]]
    }

    let section, signatureInput, signature, keyID: String
    let isValid: Bool
    let request: Request?
    let response: Response?

    /// The message with the fields of the signature.
    var message: MessageSignature.Message {
        let lines = [
            MessageSignature.Field("Signature-Input", signatureInput),
            MessageSignature.Field("Signature", signature),
        ]
        var request = request.map {
            MessageSignature.Request(
                method: $0.method,
                scheme: $0.scheme,
                authority: $0.authority,
                path: $0.path,
                query: $0.query,
                fields: Self.fields($0.fields)
            )
        }
        if let response {
            let fields = Self.fields(response.fields) + lines
            return .response(.init(status: response.status, fields: fields, request: request))
        }
        request?.fields += lines
        return .request(request ?? .init(method: "", authority: "", path: ""))
    }

    private static func fields(_ pairs: [[String]]) -> [MessageSignature.Field] {
        pairs.map { MessageSignature.Field($0[0], $0[1]) }
    }

    static func all() throws -> [Self] { try VectorFile<Self>.load("rfc9421-signatures").cases }

    static func named(_ section: String) throws -> Self {
        try XCTUnwrap(all().first { $0.section == section })
    }
}

/// The keys of RFC 9421.
struct SignatureVectorKey: Decodable, Sendable {
    let name, algorithm: String
    let publicKey: String?
    let secret: HexBytes?

    static func all() throws -> [String: MessageSignature.VerificationKey] {
        var keys: [String: MessageSignature.VerificationKey] = [:]
        for key in try VectorFile<Self>.load("rfc9421-keys").cases {
            if let secret = key.secret {
                keys[key.name] = try .hmacSHA256(secret.bytes)
            } else {
                let algorithm = try XCTUnwrap(MessageSignature.Algorithm(rawValue: key.algorithm))
                keys[key.name] = try .publicKey(pem: XCTUnwrap(key.publicKey), algorithm: algorithm)
            }
        }
        return keys
    }

    /// The secret of B.1.5.
    static func sharedSecret() throws -> [UInt8] {
        let keys = try VectorFile<Self>.load("rfc9421-keys").cases
        return try XCTUnwrap(keys.compactMap(\.secret).first).bytes
    }

    /// The private key of B.1.4.
    static let ed25519PEM = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
        -----END PRIVATE KEY-----
        """
}
