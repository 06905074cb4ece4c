// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitTerminal

/// A key for signatures: `KIND:KEYID=FILE`, or `KIND=FILE` for backends that sign sorted parameters.
struct SignatureKeyArgument: ExpressibleByArgument {
    let kind: SignatureKind
    /// The name of the key; empty if none is given.
    let keyID: String
    private let file: FileArgument

    init?(argument: String) {
        let bytes = Substring(argument).utf8
        let pair = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, !pair[1].isEmpty else { return nil }
        let name = pair[0].split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = name.first, let kind = SignatureKind(name: String(Substring(first))) else {
            return nil
        }
        self.kind = kind
        keyID = name.count > 1 ? String(Substring(name[1])) : ""
        file = FileArgument(argument: String(Substring(pair[1])))
    }

    static var defaultCompletionKind: CompletionKind { .file() }

    /// The descriptor that the key is read from, if its number is known.
    var descriptor: Int32? { file.descriptor }

    /// Rejects a key that nothing can be signed with.
    ///
    /// - Parameters:
    ///   - option: The name of the option.
    ///   - forSigning: Whether the key signs; otherwise it verifies.
    /// - Throws: `ValidationError`.
    func check(_ option: String, forSigning: Bool) throws {
        switch kind {
        case .message(let algorithm):
            guard !keyID.isEmpty else {
                throw ValidationError(
                    "\(option) needs the name of the key: \(algorithm.rawValue):KEYID=FILE."
                )
            }
            guard !forSigning || SignatureKind.signing.contains(algorithm) else {
                throw ValidationError("\(algorithm.rawValue) only verifies; hmac-sha256 and ed25519 sign.")
            }
        case .parameters(let name):
            guard keyID.isEmpty || (forSigning && kind.parameters(keyID: keyID) != nil) else {
                throw ValidationError("\(name) takes no KEYID here: give \(option) \(name)=FILE.")
            }
        }
    }

    /// Reads the key of a message's signature that makes signatures.
    func signingKey() throws -> MessageSignature.SigningKey {
        let secret = try read()
        return try wrapping {
            kind == .message(.ed25519) ? try .ed25519(pem: secret) : try .hmacSHA256(secret)
        }
    }

    /// Reads the key of a message's signature that verifies.
    func verificationKey(_ algorithm: MessageSignature.Algorithm) throws -> MessageSignature.VerificationKey {
        let secret = try read()
        guard algorithm != .hmacSHA256 else { return try wrapping { try .hmacSHA256(secret) } }
        let text = secret.withSecretBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        return try wrapping { try .publicKey(pem: text, algorithm: algorithm) }
    }

    /// Reads the secret of sorted parameters; `nil` if the kind is another one.
    func parameterSignature() throws -> Legacy.SortedParameterSignature? {
        guard let format = kind.format else { return nil }
        let secret = try read().withoutTrailingNewline()
        return try wrapping { try Legacy.SortedParameterSignature(secret: secret, format: format) }
    }

    /// Creates the signer of requests.
    func signer() throws -> RequestSigner {
        let (kind, name) = (kind, keyID)
        guard let signature = try parameterSignature() else {
            let key = try signingKey()
            return try wrapping {
                try RequestSigner.httpMessageSignature(key, keyID: name)
            }
        }
        guard !name.isEmpty else { return .sortedParameters(signature) }
        return .sortedParameters(signature, identity: name) { kind.parameters(keyID: name) ?? [] }
    }

    private func read() throws -> SecretBytes {
        try SecretReader(file: file, descriptor: nil, option: "", prompt: "Key: ").readAll(
            keepsLineFeed: true
        )
    }

    private func wrapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as MessageSignature.Error {
            throw CommandFailure(.malformed, "\(file.quotedForMessage): \(error)")
        } catch let error as SignatureError {
            throw CommandFailure(.malformed, "\(file.quotedForMessage): \(error)")
        }
    }
}
