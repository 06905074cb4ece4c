// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
public import HTTPTypes

extension Endpoint {
    /// What an interface answered.
    public struct Response: Sendable {
        /// The status, such as 200.
        public let status: Int

        /// The code in the envelope; `nil` without one.
        public let code: Int?

        /// The message in the envelope, empty if there is none. It is the server's text: check it before you
        /// show it.
        public let message: String

        /// The server's time as the envelope has it; `nil` if it has none.
        public let serverTime: String?

        /// The token that came in the response's header; `nil` if none came.
        public let token: SecretBytes?

        /// The body.
        public let body: Body

        /// How many elements there are in all, of which the body has a page; `nil` if the envelope does not
        /// say.
        public let total: Int?

        /// The headers, without cookies and without the token: those are the session's.
        public let headers: HTTPFields
    }
}
