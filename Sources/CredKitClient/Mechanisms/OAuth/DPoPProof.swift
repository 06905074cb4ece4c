// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// What a proof says: that the holder of a key sends one certain request (RFC 9449, section 4.2).
struct DPoPProof: Sendable {
    let method: HTTPRequest.Method
    let url: HTTPURL
    /// The access token of the request, without its scheme; `nil` at a token endpoint.
    var token: String?
    /// What the server wants to find in the proof.
    var nonce: String?
    let time: UnixTime
    /// Servers accept no two proofs with the same one.
    var identifier = Base64.urlSafe.unpadded.encode(SecureRandom.bytes(count: 16))

    /// The claims. The URL has neither a query nor the default port.
    var claims: StrictJSON {
        var claims: [String: StrictJSON] = [
            "jti": .string(identifier), "htm": .string(method.rawValue),
            "htu": .string("\(url.origin)\(url.path)"), "iat": .number("\(time.seconds)"),
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        if let token {
            claims["ath"] = .string(Base64.urlSafe.unpadded.encode(SHA256.hash(data: token.utf8)))
        }
        return .object(claims)
    }
}
