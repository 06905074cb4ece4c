// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The notations in which software stores PBKDF2.
///
/// | notation | text |
/// |---|---|
/// | passlib | `$pbkdf2-sha256$29000$salt$digest`, `.` for `+` in its Base64; `$pbkdf2$` means SHA-1 |
/// | phc | `$pbkdf2-sha256$i=600000,l=32$salt$digest`, the length being optional |
/// | django | `pbkdf2_sha256$600000$salt$digest`, the salt as plain text, padded Base64 |
/// | werkzeug | `pbkdf2:sha256:600000$salt$digest`, the salt as plain text, hexadecimal digits |
/// | identity-2, identity-3 | Base64 of ASP.NET Identity; see ``PBKDF2Hash/init(identity:)`` |
/// | behind a name in braces | see ``PrefixedPBKDF2/Form`` |
enum PBKDF2Notation: Sendable, Hashable, CustomStringConvertible {
    case passlib
    /// Some writers leave out the length, and some name SHA-1 (`pbkdf2-sha1`) while others do not (`pbkdf2`).
    case phc(identifier: String, statesLength: Bool)
    case django
    case werkzeug
    case identity2
    case identity3
    case prefixed(PrefixedPBKDF2)

    /// Returns the notation that a text claims to have; `nil` if it has none of these.
    init?(recognizing text: String) {
        if text.hasPrefix("$pbkdf2-sha") || text.hasPrefix("$pbkdf2$") {
            let parameters = text.split(separator: "$", maxSplits: 3, omittingEmptySubsequences: false)
                .dropFirst(2)
            let isPHC = parameters.first?.hasPrefix("i=") ?? false
            self = isPHC ? .phc(identifier: "", statesLength: false) : .passlib
        } else if text.hasPrefix("pbkdf2_sha") {
            self = .django
        } else if text.hasPrefix("pbkdf2:") {
            self = .werkzeug
        } else if let version = PBKDF2Hash.identityVersion(of: text) {
            self = version == 2 ? .identity2 : .identity3
        } else if let parts = PrefixedText(text), case .pbkdf2(let form) = parts.entry.content {
            self = .prefixed(PrefixedPBKDF2(prefix: parts.prefix, encoding: parts.encoding, form: form))
        } else {
            return nil
        }
    }

    /// The name of the notation.
    var description: String {
        switch self {
        case .passlib: "passlib"
        case .phc: "phc"
        case .django: "django"
        case .werkzeug: "werkzeug"
        case .identity2: "aspnet-identity-2"
        case .identity3: "aspnet-identity-3"
        case .prefixed(let prefixed): prefixed.notation
        }
    }

    /// Returns the lengths that a digest can have.
    func digestByteCounts(_ function: PBKDF2.Function) -> [Int] {
        switch self {
        case .phc(_, statesLength: true): Array(16...64)
        case .identity2: [32]
        case .identity3: [16, 32, 64]
        case .prefixed(let prefixed): [prefixed.digestByteCount(function)]
        default: [function.digestByteCount]
        }
    }
}
