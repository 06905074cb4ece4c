// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// PostgreSQL's `md5` and 32 lowercase digits: MD5 of password and user name. A text has no user name, so it cannot be
/// verified.
enum PostgreSQLDigest {
    static let error = PasswordError.unsupported(
        "PostgreSQL's md5 hashes contain the user name, and are not read"
    )

    private static let name = "md5"
    private static let digitCount = 32

    /// Returns whether a text is such a hash. One in 150 of them is also a valid hash of bigcrypt.
    static func recognizes(_ text: String) -> Bool {
        text.hasPrefix(name) && text.utf8.count == name.utf8.count + digitCount
            && text.utf8.dropFirst(name.utf8.count).allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
    }
}
