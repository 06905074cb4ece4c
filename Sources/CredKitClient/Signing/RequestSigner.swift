// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import CredKit
package import HTTPTypes

/// Signs the requests of a session, as the last stage before they are sent.
///
/// ```swift
/// configuration.signer = try .httpMessageSignature(.hmacSHA256(secret), keyID: "k1")
/// let order = Endpoint<Order>.get("/order").setting(\.signer, to: .sortedParameters(topSigner))
/// ```
///
/// - Each request is signed as it is sent: after a redirect, a renewal of the login or a broken connection it is signed
///   anew, with a new time and a new nonce. libcurl never sends the same signature twice.
/// - Requests to origins outside ``LoginSession/Configuration/credentialOrigins`` are not signed, nor are those that such
///   an origin has redirected back: their URL was chosen there. An endpoint that names such a server and a signer is
///   refused with ``ClientError/invalidRequest``.
/// - The requests of a login and a logout are not signed. A digest of their body, from which a password can be guessed,
///   would be in a header, and servers log headers.
/// - Responses that a cache stores, and requests that share a response, are kept apart by signer.
///
/// Secrets come from the keychain as they are. A private key for Ed25519 and the secret of a backend stay in guarded memory;
/// a key for HMAC becomes two states of the hash function in ordinary memory, which are wiped with its last copy.
///
/// The server's half is `RequestVerifier` of CredKitServer.
public struct RequestSigner: Sendable {
    enum Method: Sendable {
        case none
        case message(MessageSigner)
        case parameters(ParameterSigner)
    }

    let method: Method

    /// What responses are kept apart by; `nil` if nothing is signed.
    let identity: String?

    /// Signs nothing: for an endpoint of a session that signs its requests.
    public static let unsigned = RequestSigner(method: .none, identity: nil)

    /// Signs requests with HTTP Message Signatures, [RFC 9421](https://www.rfc-editor.org/rfc/rfc9421).
    ///
    /// A request with a body gets the header `Content-Digest`
    /// ([RFC 9530](https://www.rfc-editor.org/rfc/rfc9530)), and the signature covers it; one of the program is
    /// replaced. A file is read twice for that,
    /// each time that it is sent. A stream of the program cannot be read twice, and is refused with
    /// ``ClientError/invalidRequest``.
    ///
    /// The signature covers headers of the program, and the cookies and the token of the session, if `components` names
    /// them. `Host`, `Content-Length` and `Transfer-Encoding` belong to the connection: cover
    /// `MessageSignature.Component.authority` of `CredKit` and the digest.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - keyID: The name by which the server knows the key, printable ASCII.
    ///   - components: What to cover, each of which every request must have. `content-digest` is covered whenever there is
    ///     a body, named here or not.
    ///   - digest: The hash function of the digest.
    ///   - label: The name of the signature: lower-case letters, digits and `_-.*`.
    ///   - tag: What the signatures are for, printable ASCII; `nil` for none.
    ///   - lifetime: How long a signature is valid, in whole seconds; `nil` leaves that to the server.
    /// - Returns: The signer.
    /// - Throws: `MessageSignature.Error` if there are no components or one occurs twice, or a text is invalid.
    public static func httpMessageSignature(
        _ key: MessageSignature.SigningKey,
        keyID: String,
        covering components: [MessageSignature.Component] = [.method, .authority, .path, .query],
        digest: ContentDigest.Algorithm = .sha256,
        label: String = "sig",
        tag: String? = nil,
        lifetime: Duration? = nil
    ) throws(MessageSignature.Error) -> Self {
        func signer(_ components: [MessageSignature.Component]) throws(MessageSignature.Error)
            -> MessageSignature.Signer
        {
            try MessageSignature.Signer(
                key: key,
                keyID: keyID,
                covering: components,
                label: label,
                tag: tag,
                lifetime: lifetime
            )
        }
        let withDigest = components.contains(.contentDigest) ? components : components + [.contentDigest]
        let signer = MessageSigner(
            withBody: try signer(withDigest),
            withoutBody: try signer(components.filter { $0 != .contentDigest }),
            algorithm: digest,
            fieldNames: Set(components.map(\.name)).union(["signature", "signature-input", "content-digest"])
        )
        // Two keys may have the same name: the old one and the new one.
        let fingerprint = try ContentDigest(of: key.sign(Array("credkit: identity of a signer".utf8)))
            .fieldValue
        return Self(method: .message(signer), identity: "keyID \(keyID) \(fingerprint)")
    }

    /// Signs the parameters of requests, in the way of older backends: those of the query, and of a body that is a form.
    /// The signature is added to the form if there is one, otherwise to the query.
    ///
    /// ```swift
    /// let top = try Legacy.SortedParameterSignature(secret: secret, format: .taobao)
    /// configuration.signer = .sortedParameters(top, identity: seller) {
    ///     [("app_key", "12345678"), ("session", seller), ("sign_method", "md5"), ("timestamp", timeInChina())]
    /// }
    /// ```
    ///
    /// > Warning: The method, the path and the headers are not signed, and parameters can be changed in some ways without
    /// > the secret: see `Legacy.SortedParameterSignature`. Use
    /// > ``httpMessageSignature(_:keyID:covering:digest:label:tag:lifetime:)`` where the server permits it.
    ///
    /// A body that is not a form is refused with ``ClientError/invalidRequest``: sign it before it is sent.
    ///
    /// - Parameters:
    ///   - signature: The secret and the format.
    ///   - identity: In whose name the requests are, as far as the added parameters say that: stored and shared responses
    ///     are kept apart by it. It is never sent.
    ///   - parameters: Returns parameters to add each time that a request is signed, such as a time and a nonce. They
    ///     replace those of the same name.
    /// - Returns: The signer.
    public static func sortedParameters(
        _ signature: Legacy.SortedParameterSignature,
        identity: String,
        adding parameters: @escaping @Sendable () -> [(key: String, value: String)]
    ) -> Self {
        // Of the secret, so that the responses of two backend accounts stay apart as well.
        let fingerprint = try? signature.signature(of: [(key: "credkit", value: "identity of a signer")])
        let signer = ParameterSigner(signature: signature, added: parameters)
        return Self(
            method: .parameters(signer),
            identity: "parameters \(fingerprint ?? "") \(identity)"
        )
    }

    /// Signs the parameters of requests as they are: see ``sortedParameters(_:identity:adding:)``.
    ///
    /// - Parameter signature: The secret and the format.
    /// - Returns: The signer.
    public static func sortedParameters(_ signature: Legacy.SortedParameterSignature) -> Self {
        sortedParameters(signature, identity: "") { [] }
    }

    /// Signs a request.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path.
    ///   - body: The body; `nil` for none.
    ///   - now: Returns the time to sign with. It is asked last, because reading a file takes time.
    /// - Returns: The request to send.
    /// - Throws: ``ClientError/invalidRequest`` if it cannot be signed, and the errors of reading a file.
    package func sign(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?,
        at now: @Sendable () -> UnixTime
    ) async throws(ClientError) -> (request: HTTPRequest, body: HTTPRequestBody?) {
        switch method {
        case .none: (request, body)
        case .message(let signer): (try await signer.sign(request, body, at: now), body)
        case .parameters(let signer): try signer.sign(request, body)
        }
    }
}

extension RequestSigner {
    /// Returns the parameters that ``sortedParameters(_:identity:adding:)`` signs: those of the query, and then those of a form.
    ///
    /// - Parameters:
    ///   - request: The head.
    ///   - body: The body; `nil` for none.
    /// - Returns: The names and values, decoded, in order.
    /// - Throws: ``ClientError/invalidRequest`` if one is not UTF-8, or the body is not a form.
    package static func parameters(
        of request: HTTPRequest,
        _ body: HTTPRequestBody?
    ) throws(ClientError) -> [(key: String, value: String)] {
        try ParameterSigner.parameters(of: request, body)
    }
}

extension RequestSigner: CustomStringConvertible, CustomReflectable {
    /// The kind of the signature, without keys.
    public var description: String {
        switch method {
        case .none: "‹no signature›"
        case .message: "‹HTTP Message Signatures›"
        case .parameters: "‹signature of sorted parameters›"
        }
    }

    /// A mirror without children: dumping a signer reveals no key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
