// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Feeds identifier, time and signatures of a webhook, one per line, and its body to the verifier. A `@` among the
    /// signatures stands for the Base64 of the valid one, which the fuzzer cannot guess.
    static let webhooks = FuzzTarget("webhooks") { bytes in
        var input = FuzzInput(bytes)
        let id = String(decoding: input.line(), as: UTF8.self)
        let timestamp = String(decoding: input.line(), as: UTF8.self)
        let template = String(decoding: input.line(), as: UTF8.self)
        let message = Array("\(id).\(timestamp).".utf8) + input.remaining
        let code = HMAC<SHA256>.authenticationCode(for: message.span, using: .init("key of the fuzzer"))
        let valid = Base64.standard.encode(code)
        let values = [
            id, timestamp,
            template.split(separator: "@", omittingEmptySubsequences: false).joined(separator: valid),
        ]

        let now = UnixTime(1_000_000_000)
        var headers = values[...]
        let webhooks = try WebhookSignature.Standard(keys: ["another key", "key of the fuzzer"])
        let result = webhooks.verify(input.remaining, at: now, header: { _ in headers.popFirst() })
        let isExpected =
            WebhookProperties.isID(Array(id.utf8)) && WebhookProperties.isCurrent(timestamp, now)
            && WebhookProperties.contains("v1," + valid, Array(values[2].utf8))
        try requireEqual(result.isValid, isExpected, "a webhook is valid exactly with a signature, in time")

        guard WebhookProperties.isID(Array(id.utf8)), let seconds = Int64(timestamp),
            0..<1_000_000_000_000 ~= seconds
        else {
            return
        }
        let signed = try webhooks.headers(for: input.remaining, id: id, at: UnixTime(seconds))
        var sent = signed.map(\.value)[...]
        try requireEqual(
            webhooks.verify(input.remaining, at: UnixTime(seconds), header: { _ in sent.popFirst() }),
            .valid,
            "what was signed is valid"
        )
    }
}

/// The rules again, over bytes.
private enum WebhookProperties {
    static func isID(_ id: [UInt8]) -> Bool {
        1...256 ~= id.count && !id.contains { $0 <= 0x20 || $0 >= 0x7F || $0 == 0x2E }
    }

    static func isCurrent(_ timestamp: String, _ now: UnixTime) -> Bool {
        guard let seconds = Int64(timestamp), Array("\(seconds)".utf8) == Array(timestamp.utf8) else {
            return false
        }
        return (now.seconds - 300...now.seconds + 300).contains(seconds)
    }

    static func contains(_ signature: String, _ header: [UInt8]) -> Bool {
        let texts = header.split(separator: 0x20).map { Array($0) }
        return header.count <= 4096 && texts.count <= 16 && texts.contains(Array(signature.utf8))
    }
}
