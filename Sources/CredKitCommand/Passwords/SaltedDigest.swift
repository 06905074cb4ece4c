// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// A bare hexadecimal digest with its salt behind it: `5f4dcc3b…:salt`, as Joomla, osCommerce and hashcat write it. The
/// salt can be empty. Nothing in the text names the computation.
struct SaltedDigest {
    let digits: String
    let salt: [UInt8]

    /// Reads a field; `nil` if it has another form.
    init?(_ field: [UInt8], separator: UInt8) {
        guard let end = field.firstIndex(of: separator), BareHashOptions.isBare(Array(field[..<end])) else {
            return nil
        }
        digits = String(decoding: field[..<end], as: UTF8.self)
        salt = Array(field[(end + 1)...])
    }

    /// The message for such a text whose type is not declared.
    static let ambiguity =
        "hexadecimal digits with a salt behind a colon may be of several applications; declare theirs with --as joomla, "
        + "oscommerce, vbulletin, mybb …, or with --as salted-md5 … and --salt-separator :"

    /// How a salt is given, for messages.
    static let missingSalt =
        "give it behind the hash and a colon, or with --salt, or --salt-column for a table"
}
