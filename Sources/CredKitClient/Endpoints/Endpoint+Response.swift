// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
public import HTTPTypes

extension Endpoint {
    /// The response of an endpoint.
    public struct Response: Sendable {
        /// The decoded body.
        public let value: Value

        /// The body as the server sent it, including the envelope.
        public let rawBody: [UInt8]

        /// Status and headers, without the cookies and the token, which belong to the session.
        public let head: HTTPResponse

        /// The code in the envelope; `nil` if there is no envelope.
        public let serverCode: Int?

        /// The message in the envelope, empty if there is none.
        ///
        /// > Important: This is untrusted text from the server: check it before you show it.
        public let serverMessage: String

        /// The server's time in the envelope, in the server's format; `nil` if there is none.
        public let serverTime: String?

        /// The total number of elements, of which the body contains one page; `nil` if the envelope does not
        /// say.
        public let total: Int?

        /// The token in the response's header; `nil` if there is none.
        public let token: SecretBytes?

        /// How the cache took part; ``CacheUse/network`` if the session has none.
        public let cacheUse: CacheUse
    }
}
