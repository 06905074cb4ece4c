// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
