// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Django's `crypt$salt$` before a hash of the original crypt(3), until Django 4. Its own salt is empty, or begins with
/// the two characters that crypt(3) uses: Django 1.3 and older had five, passlib has two.
struct DjangoCryptHash: PrefixedCryptScheme {
    let prefixText: String
    var inner: any CryptScheme

    static let notation = "django"

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("crypt$") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 3, fields[2].utf8.count == 13, CryptAlphabet.unix.contains(fields[2]) else {
            throw .malformed("it must have the fields crypt, salt, and 13 characters of crypt(3)")
        }
        let salt = fields[1]
        guard [0, 2, 5].contains(salt.utf8.count), salt.isEmpty || fields[2].hasPrefix(salt.prefix(2)),
            CryptAlphabet.unix.contains(salt)
        else { throw .malformed("the salt must be empty, or 2 or 5 characters that begin with crypt(3)'s") }
        prefixText = "crypt$\(salt)$"
        inner = try DESCryptHash(parsing: String(fields[2]))
    }
}
