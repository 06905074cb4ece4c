// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
public import HTTPTypes

extension Endpoint {
    /// The response of an endpoint.
    public struct Response: Sendable {
        /// The status, such as 200.
        public let status: Int

        /// The code in the envelope; `nil` if there is no envelope.
        public let code: Int?

        /// The message in the envelope, empty if there is none. The text comes from the server: check it
        /// before you show it.
        public let message: String

        /// The server's time in the envelope; `nil` if there is none.
        public let serverTime: String?

        /// The token in the response's header; `nil` if there is none.
        public let token: SecretBytes?

        /// The decoded body.
        public let value: Value

        /// The total number of elements, of which the body contains one page; `nil` if the envelope does not
        /// say.
        public let total: Int?

        /// The headers, without the cookies and the token, which belong to the session.
        public let headers: HTTPFields
    }
}
