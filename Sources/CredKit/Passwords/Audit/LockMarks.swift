// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The marks of accounts that cannot log in with a password, as the programs of each system write them.
///
/// | before a hash | written by | stated in |
/// |---|---|---|
/// | `!` | Linux: `usermod -L`, `passwd -l` | shadow-utils, shadow(5) |
/// | `!!` | Fedora and libuser: `passwd -l`, `lusermod -L` | libuser, lusermod(1) |
/// | `*` | OpenBSD: `usermod -Z` | OpenBSD, usr.sbin/user/user.c |
/// | `*LOCKED*` | FreeBSD: `pw lock`; NetBSD: `usermod -C yes` | pw(8), pw_user.c; usr.sbin/user/user.c |
/// | `*LK*` | Solaris and illumos: `passwd -l` | illumos, shadow.h, passwdutil; shadow(5) |
/// | `*AL*` | Solaris: too many failed logins | Oracle Solaris, shadow(5) |
///
/// | in place of a hash | written by | stated in |
/// |---|---|---|
/// | `!`, `*`, any number | Linux, all BSDs, macOS | shadow(5), passwd(5) |
/// | `*`; `!` | AIX: no password; the hash is in /etc/security/passwd | IBM, AIX documentation, Using the /etc/passwd file |
/// | `*` | HP-UX: `passwd -l`, which does not keep the hash | HP-UX 11i, passwd(1) |
/// | `!` and 40 letters and digits | Django: `set_unusable_password` | django/contrib/auth/hashers.py |
/// | `NP`, `*NP*` | Solaris and illumos: `passwd -N`, NIS+ | illumos, shadow.h |
/// | `UP` | Solaris: `useradd`, until a password is set | Oracle Solaris, shadow(5) |
/// | `*THISISNOTAVALIDPASSWORD…` | MySQL, for its own accounts | MySQL, mysql_system_users.sql |
/// | `invalid` | MariaDB, for its own accounts | MariaDB, mysql_system_tables_data.sql |
/// | `XXXX…`, `NO PASSWORDXXXX…` (32 characters) | Samba: `smbpasswd -d` of a new account, `smbpasswd -n` | smbpasswd(5) |
/// | `{CRYPT}x` | smbldap-tools, behind a mark; migrations of /etc/passwd | smbldap_tools.pm |
///
/// The asterisk of a hash of MySQL is no mark. Marks stack: an account can be locked by several programs. Directories have
/// them behind the name in braces, as in `{CRYPT}!$1$…`, which ``StoredPasswordField`` moves.
enum LockMarks {
    private static let words = ["*LOCKED*", "*LK*", "*AL*"].map { Array($0.utf8) }

    private static let texts = [
        "NP", "*NP*", "UP", "invalid", "*THISISNOTAVALIDPASSWORDTHATCANBEUSEDHERE",
        "NO PASSWORDXXXXXXXXXXXXXXXXXXXXX", "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    ].map { Array($0.utf8) }

    /// No hash is shorter than that of the original crypt(3).
    static let minimumHashByteCount = 13

    /// Returns whether a byte begins a mark.
    static func areBegun(by byte: UInt8) -> Bool { byte == UInt8(ascii: "!") || byte == UInt8(ascii: "*") }

    /// Returns the length of the mark that begins at an index; 0 if there is none.
    static func byteCount(in field: Span<UInt8>, at index: Int) -> Int {
        guard index < field.count, areBegun(by: field[index]) else { return 0 }
        for word in words where begins(field, at: index, with: word) { return word.count }
        return 1
    }

    /// Returns whether the rest of a field is a text that stands in place of a hash.
    static func isInPlaceOfHash(_ field: Span<UInt8>, from index: Int) -> Bool {
        for text in texts where field.count - index == text.count && begins(field, at: index, with: text) {
            return true
        }
        return false
    }

    /// Returns whether a field is what Django stores for an account without a password. The letters are random; 40
    /// hexadecimal digits are a digest.
    static func isOfDjango(_ field: Span<UInt8>) -> Bool {
        guard field.count == 41, field[0] == UInt8(ascii: "!") else { return false }
        var isHexadecimal = true
        for index in 1..<field.count {
            switch field[index] {
            case 48...57, 65...70, 97...102: continue
            case 71...90, 103...122: isHexadecimal = false
            default: return false
            }
        }
        return !isHexadecimal
    }

    /// Returns whether the text behind a mark is a note, such as a date or a reason, in which there is no place for a
    /// hash: neither what begins one, nor a run of characters as long as one. Words between hyphens are a longer run than
    /// a note needs only if they have digits, or capitals within them.
    static func isNote(_ text: Span<UInt8>) -> Bool {
        guard text.count < minimumHashByteCount || text[0] != UInt8(ascii: "_") else { return false }
        var run = 0
        var grouped = GroupedRun()
        for index in text.indices {
            grouped.add(text[index])
            switch text[index] {
            case UInt8(ascii: "$"), UInt8(ascii: "{"): return false
            // Base64, hexadecimal digits, and the characters of crypt(3).
            case 46...57, 65...90, 97...122, UInt8(ascii: "+"), UInt8(ascii: "="): run += 1
            default: run = 0
            }
            guard run < minimumHashByteCount, !grouped.mayBeHash else { return false }
        }
        return true
    }

    /// A run of the characters of a hash in Base64url, or in groups with hyphens between them.
    private struct GroupedRun {
        /// More than a date and some words have.
        private static let minimumByteCount = 20

        private var count = 0
        private var hasDigit = false
        private var hasSmallLetter = false
        private var hasCapitalWithin = false
        private var isWithinWord = false

        var mayBeHash: Bool {
            count >= Self.minimumByteCount && (hasDigit || hasSmallLetter && hasCapitalWithin)
        }

        mutating func add(_ byte: UInt8) {
            var isInWord = true
            switch byte {
            case 48...57: hasDigit = true
            case 65...90: hasCapitalWithin = hasCapitalWithin || isWithinWord
            case 97...122: hasSmallLetter = true
            case 46, 47, UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "_"):
                isInWord = false
            default:
                self = GroupedRun()
                return
            }
            isWithinWord = isInWord
            count += 1
        }
    }

    private static func begins(_ field: Span<UInt8>, at start: Int, with text: [UInt8]) -> Bool {
        guard field.count - start >= text.count else { return false }
        for index in text.indices where field[start + index] != text[index] { return false }
        return true
    }
}
