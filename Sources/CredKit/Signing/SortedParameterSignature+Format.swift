// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy.SortedParameterSignature {
    /// How names and values are joined.
    public enum Joining: Sendable, Hashable {
        /// `name=value&name=value`.
        case delimited
        /// `namevaluenamevalue`.
        case concatenated
    }

    /// Where the secret stands in the digested text.
    public enum SecretPosition: Sendable, Hashable {
        /// After the parameters and a separator, such as `&key=`.
        case suffix(separator: String = "")
        /// Before the parameters, as Flickr's old API does it.
        ///
        /// > Warning: With plain MD5 this position allows length extension: an attacker with one signed request can
        /// > append bytes to the text, and compute the new signature without the secret.
        case prefix(separator: String = "")
        /// Before and after the parameters, without a separator.
        case prefixAndSuffix
    }

    /// How the text is digested. There is no MD5 without the secret in the text, which anyone could compute.
    public enum Algorithm: Sendable, Hashable {
        /// MD5 of a text that contains the secret.
        case md5(secret: SecretPosition)
        /// HMAC-MD5 with the secret as the key. Some backends have the secret in the text too.
        case hmacMD5(secretInText: SecretPosition? = nil)
        /// HMAC-SHA-256 with the secret as the key. Some backends have the secret in the text too.
        case hmacSHA256(secretInText: SecretPosition? = nil)

        /// Where the secret stands in the text; `nil` if it is only the key.
        var secretPosition: SecretPosition? {
            switch self {
            case .md5(let position): position
            case .hmacMD5(let position), .hmacSHA256(let position): position
            }
        }
    }

    /// The details in which backends differ.
    ///
    /// ```swift
    /// var format = Legacy.SortedParameterSignature.Format(.delimited, .md5(secret: .suffix(separator: "&secret=")))
    /// format.signatureName = "signature"
    /// ```
    ///
    /// There are presets of known backends, such as ``weChatPay``. Do not send them values that are blank, or begin or end
    /// with whitespace: known clients of these backends trim or skip such values, each in its own way.
    public struct Format: Sendable, Hashable {
        /// How names and values are joined.
        public var joining: Joining

        /// How the text is digested.
        public var algorithm: Algorithm

        /// A text before the parameters, such as the path of the request. Empty for most backends.
        public var prefix = ""

        /// Whether the hexadecimal digits of the signature are uppercase. Verification accepts only this case.
        public var isUppercase = false

        /// Whether parameters with an empty value are not signed. They are still sent, if they are there, and an attacker
        /// can add others.
        public var omitsEmptyValues = true

        /// The name of the parameter that contains the signature. It is never signed.
        public var signatureName = "sign"

        /// The names of other parameters that are not signed, such as `sign_type`. An attacker can add or change them.
        public var excludedNames: [String] = []

        /// Creates a format without prefix and excluded names, in lowercase digits, that leaves out empty values.
        ///
        /// - Parameters:
        ///   - joining: How names and values are joined.
        ///   - algorithm: How the text is digested.
        public init(_ joining: Joining, _ algorithm: Algorithm) {
            self.joining = joining
            self.algorithm = algorithm
        }
    }
}
