// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Computes and checks the MAC of one-time challenges: `yyyy-MM-dd HH:mm`, a space, and in base64url the second of the issue, 16
/// random bytes and the first 18 bytes of an HMAC-SHA256 over all of that.
struct LoginChallengeCoder: Sendable {
    static let textByteCount = 16 + 1 + 56
    private static let nonceByteCount = 16
    private static let tagByteCount = 18

    private let key: HMAC<SHA256>.Key
    let lifetime: Duration

    init(key: SecretBytes, lifetime: Duration) {
        self.key = HMAC<SHA256>.Key(key)
        self.lifetime = lifetime
    }

    /// Creates a challenge.
    func make(at now: UnixTime, minute: Legacy.TimestampedLogin.Minute) -> LoginChallenge {
        let second = (0..<8).map { UInt8(truncatingIfNeeded: now.seconds >> (56 - $0 * 8)) }
        let body = second + SecureRandom.bytes(count: Self.nonceByteCount)
        let token = Base64.urlSafe.unpadded.encode(body + tag(minute: "\(minute)", body: body))
        return LoginChallenge(text: "\(minute) \(token)", issuedAt: now, expiresAt: now + lifetime)
    }

    /// Decodes a challenge; returns `nil` unless it was made with the same key.
    func read(_ text: String) -> LoginChallenge? {
        guard text.utf8.count == Self.textByteCount else { return nil }
        let bytes = Array(text.utf8)
        guard bytes[16] == UInt8(ascii: " "), let data = try? Base64.urlSafe.unpadded.decode(bytes[17...])
        else { return nil }
        let body = Array(data.prefix(8 + Self.nonceByteCount))
        let minute = String(decoding: bytes[..<16], as: UTF8.self)
        guard ConstantTime.areEqual(tag(minute: minute, body: body), data.dropFirst(body.count)) else {
            return nil
        }
        let issuedAt = UnixTime(body.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) })
        return LoginChallenge(text: text, issuedAt: issuedAt, expiresAt: issuedAt + lifetime)
    }

    private func tag(minute: String, body: [UInt8]) -> [UInt8] {
        let message = Array("CredKit login challenge 1\n\(minute)".utf8) + body
        return Array(HMAC<SHA256>.authenticationCode(for: message.span, using: key).prefix(Self.tagByteCount))
    }
}
