// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// `md5$salt$digest` or `sha1$salt$digest` with a salt of 8 or 16 letters and digits, as Werkzeug before version 3 made
/// them. Its digest is HMAC, and Django's is not; the texts look alike. Django's own salts have 5, 12 or 22 characters.
///
/// A password that matches by either definition matches. Layering would have to know which it is, so this scheme is
/// none that can be layered: a wrong guess would lose the digests.
struct AmbiguousFrameworkHash: PasswordScheme {
    private let readings: [FrameworkDigestHash]
    private let first: FrameworkDigestHash

    /// They are listed with ``FrameworkDigestHash``.
    static let schemes: [PasswordHash.Scheme] = []

    static func recognizes(_ text: String) -> Bool {
        guard text.hasPrefix("md5$") || text.hasPrefix("sha1$") else { return false }
        let salt = text.utf8.drop { $0 != UInt8(ascii: "$") }.dropFirst().prefix { $0 != UInt8(ascii: "$") }
        return (salt.count == 8 || salt.count == 16)
            && salt.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 }
    }

    init(parsing text: String) throws(PasswordError) {
        first = try FrameworkDigestHash(parsing: text, isConcatenated: true)
        readings = [first, try FrameworkDigestHash(parsing: text, isConcatenated: false)]
    }

    var description: String { first.description }
    var scheme: PasswordHash.Scheme { first.scheme }
    var weakness: String? { first.weakness }
    var parameters: [PasswordHash.Parameter] { [.init("notation", "django-or-werkzeug")] }
    var salt: [UInt8] { first.salt }
    var digest: [UInt8] { first.digest }

    var layeringObstacle: String {
        "hashes with a salt of 8 or 16 letters and digits cannot be layered: they can be Django's or Werkzeug's"
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        ComputationCost(seconds: 2 * first.computationCost(passwordByteCount: passwordByteCount).seconds)
    }

    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        var isMatch = false
        for reading in readings {
            let matches = try reading.matches(password, context)
            isMatch = isMatch || matches
        }
        return isMatch
    }
}
