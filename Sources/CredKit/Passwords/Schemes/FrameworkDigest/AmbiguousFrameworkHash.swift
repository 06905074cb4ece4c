// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// `sha1$salt$digest` with a salt that several frameworks can have made, whose digests differ while their texts look alike:
///
/// - `md5$` and `sha1$` with letters and digits: Django, web2py, or Werkzeug before version 3, whose callers chose the
///   length of the salt. Django's own salts have 5, 12 or 22 characters, and are taken as Django's.
/// - `sha256$`, `sha384$` and `sha512$` with any salt: Werkzeug, or web2py.
///
/// A password that matches by any of the definitions matches. Layering would have to know which it is, so this scheme is
/// none that can be layered: a wrong guess would lose the digests.
struct AmbiguousFrameworkHash: PasswordScheme {
    private let first: FrameworkDigestHash
    private let others: [FrameworkDigestHash]

    /// They are listed with ``FrameworkDigestHash``.
    static let schemes: [PasswordHash.Scheme] = []

    private static let djangoSaltCounts = [5, 12, 22]

    static func recognizes(_ text: String) -> Bool {
        guard let function = FrameworkDigestHash.function(of: text) else { return false }
        let salt = text.utf8.dropFirst(function.rawValue.utf8.count + 1).prefix { $0 != UInt8(ascii: "$") }
        guard !salt.isEmpty else { return false }
        return !function.isDjango
            || !djangoSaltCounts.contains(salt.count)
                && salt.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 }
    }

    init(parsing text: String) throws(PasswordError) {
        first = try FrameworkDigestHash(parsing: text)
        var others = [try FrameworkDigestHash(parsing: text, definition: .saltLast)]
        if first.function.isDjango {
            others.append(try FrameworkDigestHash(parsing: text, definition: .hmac))
        }
        self.others = others
    }

    var description: String { first.description }
    var scheme: PasswordHash.Scheme { first.scheme }
    var weakness: String? { first.weakness }
    var parameters: [PasswordHash.Parameter] {
        first.parameters
            + [
                .init(
                    "notation",
                    first.function.isDjango ? "django-or-werkzeug-or-web2py" : "werkzeug-or-web2py"
                )
            ]
    }
    var salt: [UInt8] { first.salt }
    var digest: [UInt8] { first.digest }

    var layeringObstacle: String {
        let names = first.function.isDjango ? "Django's, Werkzeug's or web2py's" : "Werkzeug's or web2py's"
        return "hashes with such a salt cannot be layered: they can be \(names)"
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        ComputationCost(
            seconds: Double(1 + others.count)
                * first.computationCost(passwordByteCount: passwordByteCount).seconds
        )
    }

    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        // Always all of them, so that the time does not tell which one it is.
        var isMatch = try first.matches(password, context)
        for other in others {
            let matches = try other.matches(password, context)
            isMatch = isMatch || matches
        }
        return isMatch
    }
}
