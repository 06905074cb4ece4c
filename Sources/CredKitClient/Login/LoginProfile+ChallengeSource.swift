// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension LoginProfile {
    /// The source and the format of the challenge.
    public struct ChallengeSource: Sendable, Hashable {
        /// The format of the challenge.
        public enum Format: String, Sendable, Hashable {
            /// `yyyy-MM-dd HH:mm`, or that, a blank and a one-time value: up to 128 characters of base64url. The
            /// minute is checked against this computer's clock.
            case minute
            /// 1 to 1,024 characters of visible ASCII, including blanks. The time is not checked: an attacker who can
            /// change the server's responses obtains a proof for any minute.
            case opaque
        }

        /// The path that returns the challenge.
        public var path = "/hmackey.php"

        /// The JSON member that contains the challenge; dots denote nested objects, as in `data.key`.
        public var field = "key"

        /// The format of the challenge.
        public var format = Format.minute

        /// The time zone of the server's clock: a tz database name such as `Asia/Shanghai`, `UTC`, or an
        /// offset such as `+08:00`. If it is set, the server's minute must be within 5 minutes of this
        /// computer's clock. If it is `nil`, the offset at the first login is remembered, and a later change
        /// is rejected until it is accepted.
        public var timeZone: String?

        /// Creates the usual source: the member `key` of `/hmackey.php`.
        public init() {}
    }
}
