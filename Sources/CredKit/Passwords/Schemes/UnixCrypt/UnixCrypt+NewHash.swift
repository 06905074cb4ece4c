// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension UnixCrypt {
    /// Hashes a password with a new salt. The result is parsed, so that no hash is returned that could not be
    /// verified.
    static func newHash(
        of password: Span<UInt8>,
        prefix: String,
        cost: Int
    ) throws(PasswordError) -> String {
        try checkFitsCrypt(password)
        let text = try hash(password, setting: makeSetting(prefix: prefix, cost: cost))
        let string = String(decoding: text.copiedBytes, as: UTF8.self)
        _ = try PasswordSchemes.parse(string)
        return string
    }
}
