// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// A signature over the parameters of a request: the parameters are sorted by name, joined to one text, and digested
    /// together with a secret that client and server share.
    ///
    /// ```swift
    /// let signer = try Legacy.SortedParameterSignature(secret: key, format: .weChatPay)
    /// let signed = try signer.signing(["appid": "wxd930ea5d5a258f4f", "body": "test"])     // with "sign"
    /// signer.verified(signed)                                                   // the signed parameters; nil if invalid
    /// print(try signer.signatureBase(of: signed))         // appid=wxd930ea5d5a258f4f&body=test&key=‹secret›
    /// ```
    ///
    /// Many backends sign this way, and each differs in a detail; ``Format`` has the details, and presets of known
    /// backends. Names and values are signed before they are encoded for a URL, as UTF-8. Names are sorted by their
    /// bytes, which is independent of the locale. Backends that sort UTF-16 have another order for names with
    /// characters beyond U+FFFF.
    ///
    /// > Warning: The format protects little, whatever the digest.
    /// > - Nothing marks where a name or value ends, so different parameters can have the same text and the same
    /// >   signature: `a=1&b=2` are two parameters, or one whose value is `1&b=2`. An attacker with one signed
    /// >   request can move such borders.
    /// > - Parameters that are not signed can be added to a signed request: those with an empty value in most formats,
    /// >   and ``Format/excludedNames``. Read only what ``verified(_:)`` returns.
    /// > - A signed request can be sent again. Only a server that checks a time and remembers a nonce among the
    /// >   parameters prevents that.
    /// > - Method, host, path and headers are not signed, and a body only if it consists of the parameters.
    /// > - MD5 is broken as a hash function, and a secret that is digested with the text is not HMAC. An attacker who
    /// >   has one signed request can guess a weak secret offline, 10¹⁰ times a second.
    /// >
    /// > It never replaces TLS. New designs use ``MessageSignature``, HTTP Message Signatures
    /// > ([RFC 9421](https://www.rfc-editor.org/rfc/rfc9421)), which cover the request itself and have a time, a nonce,
    /// > and one text for each message.
    public struct SortedParameterSignature: Sendable {
        /// The maximum number of parameters of a request, its signature included.
        public static let maximumParameterCount = 1000

        /// How the parameters are joined and digested. It can be changed, for instance for the path of another request;
        /// copies share the secret.
        public var format: Format

        let secret: SecretBytes

        /// Creates a signer and verifier.
        ///
        /// - Parameters:
        ///   - secret: The secret that the backend issued. The bytes of text are its UTF-8. It is copied into guarded
        ///     memory.
        ///   - format: How the parameters are joined and digested.
        /// - Throws: ``SignatureError/invalidSecret`` if the secret is empty, ``SignatureError/outOfMemory``.
        public init(secret: some SecretInput, format: Format) throws(SignatureError) {
            do throws(SecretMemoryError) {
                self.secret = try SecretBytes(secret)
            } catch {
                throw .outOfMemory
            }
            self.format = format
            guard !self.secret.isEmpty else { throw .invalidSecret("the secret of a signature is empty") }
        }

        /// Returns the signature of parameters. A signature among them is ignored.
        ///
        /// - Parameter parameters: The names and values, not encoded, in any order; a dictionary, `KeyValuePairs`, or an
        ///   array.
        /// - Returns: Hexadecimal digits.
        /// - Throws: ``SignatureError/repeatedName``, ``SignatureError/tooManyParameters``.
        public func signature(
            of parameters: some Sequence<(key: String, value: String)>
        ) throws(SignatureError) -> String {
            digest(pieces(of: signedParameters(among: try separate(parameters).parameters)))
        }

        /// Returns parameters with their signature: a signature among them is removed, and the new one is the last
        /// parameter. The others keep their order.
        ///
        /// - Parameter parameters: The names and values, not encoded. Those that tell the backend how the request is
        ///   signed, such as `sign_type` or `sign_method`, must be among them and agree with the format.
        /// - Returns: The parameters to send.
        /// - Throws: ``SignatureError/repeatedName``, ``SignatureError/tooManyParameters``.
        public func signing(
            _ parameters: some Sequence<(key: String, value: String)>
        ) throws(SignatureError) -> [(key: String, value: String)] {
            let unsigned = try separate(parameters).parameters
            let signature = digest(pieces(of: signedParameters(among: unsigned)))
            return unsigned + [(key: format.signatureName, value: signature)]
        }

        /// Verifies the signature of a request and returns the parameters that it covers. The time of the comparison does
        /// not depend on where two signatures differ.
        ///
        /// Read only what is returned: an attacker can add parameters that are not signed to a signed request. Pass the
        /// pairs as they were received. A dictionary would hide repeated names, and is not accepted.
        ///
        /// - Parameter parameters: The names and values as they were received, decoded once, repetitions included.
        /// - Returns: The signed parameters, sorted by name; `nil` if the signature is invalid. It is invalid if it is
        ///   missing, occurs more than once or is in the wrong case, if another name occurs more than once, if there are too
        ///   many parameters, or if none of them is signed.
        public func verified(
            _ parameters: some RandomAccessCollection<(key: String, value: String)>
        ) -> [(key: String, value: String)]? {
            guard let received = try? separate(parameters), received.signatures.count == 1,
                let signature = received.signatures.first
            else { return nil }
            let signed = signedParameters(among: received.parameters)
            guard !signed.isEmpty,
                ConstantTime.areEqual(signature.utf8, digest(pieces(of: signed)).utf8)
            else { return nil }
            return signed
        }

        /// Returns whether any of some parameters is signed.
        package func signsAny(
            of parameters: some Sequence<(key: String, value: String)>
        ) throws(SignatureError) -> Bool {
            !signedParameters(among: try separate(parameters).parameters).isEmpty
        }

        /// Returns the text that is digested, with `‹secret›` in place of the secret, to compare it with the text that
        /// a backend expects. It contains the values of all signed parameters.
        ///
        /// - Parameter parameters: The names and values, not encoded.
        /// - Returns: The text.
        /// - Throws: ``SignatureError/repeatedName``, ``SignatureError/tooManyParameters``.
        public func signatureBase(
            of parameters: some Sequence<(key: String, value: String)>
        ) throws(SignatureError) -> String {
            let signed = signedParameters(among: try separate(parameters).parameters)
            return pieces(of: signed).map { $0.text ?? "‹secret›" }.joined()
        }
    }
}

extension Legacy.SortedParameterSignature: CustomStringConvertible, CustomReflectable {
    /// `‹redacted›`, never the secret.
    public var description: String { "‹redacted›" }

    /// A mirror without children: dumping a signer reveals nothing of its secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Legacy.SortedParameterSignature.Format {
    /// WeChat Pay, version 2, with MD5. The secret is the merchant's API key. `sign_type` is signed if it is sent.
    public static var weChatPay: Self {
        uppercase(.delimited, .md5(secret: .suffix(separator: "&key=")))
    }

    /// WeChat Pay, version 2, with HMAC-SHA-256: the API key is in the text too. Send `sign_type` with the value
    /// `HMAC-SHA256`.
    public static var weChatPayHMACSHA256: Self {
        uppercase(.delimited, .hmacSHA256(secretInText: .suffix(separator: "&key=")))
    }

    /// The old gateway of Alipay, with MD5. `sign_type` is not signed. Send `_input_charset` with the value `utf-8`: the
    /// gateway signs the bytes in this encoding.
    public static var alipay: Self {
        var format = Self(.delimited, .md5(secret: .suffix()))
        format.excludedNames = ["sign_type"]
        return format
    }

    /// Taobao's open platform (TOP), with MD5. Send `sign_method` with the value `md5`, and leave out byte arrays when you
    /// sign. The `timestamp` is in UTC+8 and may differ by ten minutes.
    public static var taobao: Self { uppercase(.concatenated, .md5(secret: .prefixAndSuffix)) }

    /// Taobao's open platform (TOP), with HMAC-MD5. Send `sign_method` with the value `hmac`.
    public static var taobaoHMACMD5: Self { uppercase(.concatenated, .hmacMD5()) }

    /// Taobao's open platform (TOP), with HMAC-SHA-256. Send `sign_method` with the value `hmac-sha256`.
    public static var taobaoHMACSHA256: Self { uppercase(.concatenated, .hmacSHA256()) }

    /// Lazada's open platform, which signs the path of the API too. Send `sign_method` with the value `sha256`.
    ///
    /// - Parameter path: The path of the API, such as `/order/get`.
    /// - Returns: The format.
    public static func lazada(path: String) -> Self {
        var format = uppercase(.concatenated, .hmacSHA256())
        format.prefix = path
        return format
    }

    /// Pinduoduo's open platform. Do not send empty values either: its clients differ in whether they sign them.
    public static var pinduoduo: Self { withEmptyValues(.concatenated, .md5(secret: .prefixAndSuffix)) }

    /// JD's open platform. Do not send empty values either: its clients differ in whether they sign them.
    public static var jd: Self { withEmptyValues(.concatenated, .md5(secret: .prefixAndSuffix)) }

    private static func uppercase(
        _ joining: Legacy.SortedParameterSignature.Joining,
        _ algorithm: Legacy.SortedParameterSignature.Algorithm
    ) -> Self {
        var format = Self(joining, algorithm)
        format.isUppercase = true
        return format
    }

    private static func withEmptyValues(
        _ joining: Legacy.SortedParameterSignature.Joining,
        _ algorithm: Legacy.SortedParameterSignature.Algorithm
    ) -> Self {
        var format = uppercase(joining, algorithm)
        format.omitsEmptyValues = false
        return format
    }
}
