// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension LoginProfile {
    /// How a server asks for a one-time code after the password, and where it expects the code.
    ///
    /// The server must check the password first, and ask for the code only if it is the right one. At another server a
    /// wrong password looks like a wrong code: the client would not remember that it was rejected, and try it again at
    /// each renewal.
    ///
    /// The client sends the whole login again, with the code: see ``LoginSession/Configuration/oneTimeCode``. A login with
    /// a timestamped password gets a new challenge for that.
    public struct SecondStep: Sendable, Hashable {
        /// The form field for the code.
        public var codeField = "otp"

        /// Which answer to a login means that a code is needed; by default, one with a JSON member `codeRequired` greater
        /// than 0, whatever its status. The rule is tested before ``LoginProfile/success``.
        public var required = SuccessRule.field("codeRequired", greaterThan: 0)

        /// Creates the second step of `credkit-server`.
        public init() {}

        /// Whether an answer to a login means that a code is needed.
        func isRequired(by answer: LoginExchange.Answer) -> Bool {
            switch required {
            case .status(let status): answer.head.status.code == status
            case .field(let name, let bound):
                JSONMember.find(name, in: answer.body)?.number.map { $0 > Double(bound) } ?? false
            case .envelope(let envelope):
                envelope.code(of: answer.body).map { envelope.successCodes.contains($0) } ?? false
            }
        }
    }
}
