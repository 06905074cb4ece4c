// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Feeds the headers of a webhook and its body to all verifiers. The first line says which headers there are, in this
    /// order: a letter each, uppercase if the name is. The next lines are identifier, time, signatures and the signature
    /// in GitHub's format, which is that of Stripe as well. A `@` in a signature stands for the valid one, which the fuzzer
    /// cannot guess.
    static let webhooks = FuzzTarget("webhooks") { bytes in
        let webhook = WebhookInput(bytes)
        let now = UnixTime(1_000_000_000)
        let secrets = ["another key", WebhookInput.secret]

        let standard = try WebhookSignature.Standard(keys: secrets)
        let result = standard.verify(webhook.body, at: now, headers: webhook.headers)
        if let reason = webhook.rejection(ofNames: ["i", "t", "s"]) {
            try requireEqual(result, .invalid(reason), "each header of a webhook occurs once")
        } else if webhook.isValid(at: now), let seconds = Int64(webhook.timestamp) {
            try requireEqual(
                result,
                .valid(id: webhook.id, timestamp: UnixTime(seconds)),
                "a webhook is valid with a signature, in time"
            )
        } else {
            try requireEqual(result.isValid, false, "a webhook is valid exactly with a signature, in time")
        }

        let github = try WebhookSignature.GitHub(secrets: secrets)
        let accepted = github.verify(webhook.body, headers: webhook.headers)
        if let reason = webhook.rejection(ofNames: ["h"]) {
            try requireEqual(accepted, .invalid(reason), "the header of GitHub occurs once")
        } else {
            try requireEqual(
                accepted.isValid,
                webhook.isValidForGitHub,
                "a body is valid exactly with its code"
            )
        }

        let stripe = try WebhookSignature.Stripe(secrets: secrets)
        let timed = stripe.verify(webhook.body, at: now, headers: webhook.headers)
        if let reason = webhook.rejection(ofNames: ["p"]) {
            try requireEqual(timed, .invalid(reason), "the header of Stripe occurs once")
        } else {
            try requireEqual(
                timed.isValid,
                webhook.isValidForStripe(at: now),
                "a body is valid exactly with a time and its code"
            )
        }

        guard webhook.isID, let seconds = Int64(webhook.timestamp), 0..<1_000_000_000_000 ~= seconds else {
            return
        }
        let time = UnixTime(seconds)
        let sent = try standard.headers(for: webhook.body, id: webhook.id, at: time)
        try requireEqual(
            standard.verify(webhook.body, at: time, headers: sent),
            .valid(id: webhook.id, timestamp: time),
            "what was signed is valid"
        )
        let value = try stripe.signature(of: webhook.body, at: time)
        try requireEqual(
            stripe.verify(webhook.body, at: time, headers: [(name: "Stripe-Signature", value: value)]),
            .valid(timestamp: time),
            "what was signed is valid"
        )
    }
}

/// An input, and the rules again, over bytes.
private struct WebhookInput {
    static let secret = "key of the fuzzer"

    let names: [Character]
    let id, timestamp, signatures, hubSignature, stripeSignature, valid, hubValid, stripeValid: String
    let body: [UInt8]

    init(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        names = Array(String(decoding: input.line(), as: UTF8.self))
        id = String(decoding: input.line(), as: UTF8.self)
        timestamp = String(decoding: input.line(), as: UTF8.self)
        let template = String(decoding: input.line(), as: UTF8.self)
        let hubTemplate = String(decoding: input.line(), as: UTF8.self)
        body = input.remaining
        valid = Base64.standard.encode(Self.code(of: Array("\(id).\(timestamp).".utf8) + body))
        hubValid = Hex.encode(Self.code(of: body))
        stripeValid = Hex.encode(Self.code(of: Array("\(timestamp).".utf8) + body))
        signatures = Self.filled(template, with: valid)
        stripeSignature = Self.filled(hubTemplate, with: stripeValid)
        hubSignature = Self.filled(hubTemplate, with: hubValid)
    }

    var headers: [(name: String, value: String)] {
        names.map { name in
            switch name {
            case "i": ("webhook-id", id)
            case "I": ("WEBHOOK-ID", id)
            case "t": ("webhook-timestamp", timestamp)
            case "T": ("WEBHOOK-TIMESTAMP", timestamp)
            case "s": ("webhook-signature", signatures)
            case "S": ("WEBHOOK-SIGNATURE", signatures)
            case "h": ("x-hub-signature-256", hubSignature)
            case "H": ("X-HUB-SIGNATURE-256", hubSignature)
            case "p": ("stripe-signature", stripeSignature)
            case "P": ("STRIPE-SIGNATURE", stripeSignature)
            default: ("webhook-\(name)", id)
            }
        }
    }

    func rejection(ofNames required: [String]) -> WebhookSignature.Reason? {
        let counts = required.map { name in
            names.count { String($0) == name || String($0) == name.uppercased() }
        }
        if counts.contains(where: { $0 > 1 }) { return .repeatedHeader }
        return counts.contains(0) ? .missingHeader : nil
    }

    func isValid(at now: UnixTime) -> Bool {
        guard isID, let seconds = Int64(timestamp), Array("\(seconds)".utf8) == Array(timestamp.utf8),
            (now.seconds - 300...now.seconds + 300).contains(seconds)
        else { return false }
        let header = Array(signatures.utf8)
        let texts = header.split(separator: 0x20).map { Array($0) }
        return header.count <= 4096 && texts.count <= 16 && texts.contains(Array("v1,\(valid)".utf8))
    }

    var isID: Bool {
        1...256 ~= id.utf8.count && !id.utf8.contains { $0 <= 0x20 || $0 >= 0x7F || $0 == 0x2E }
    }

    var isValidForGitHub: Bool {
        let digits = hubSignature.utf8.dropFirst(7).map { 0x41...0x46 ~= $0 ? $0 + 0x20 : $0 }
        return Array(hubSignature.utf8.prefix(7)) == Array("sha256=".utf8) && digits == Array(hubValid.utf8)
    }

    /// Elements are separated by commas; there is one time, that of the third line, and its code is among the signatures.
    func isValidForStripe(at now: UnixTime) -> Bool {
        let header = Array(stripeSignature.utf8)
        let elements = header.split(separator: 0x2C, omittingEmptySubsequences: false).map { Array($0) }
        let times = elements.filter { $0.starts(with: "t=".utf8) }.map { Array($0.dropFirst(2)) }
        guard header.count <= 4096, elements.count <= 17, times.count == 1, let text = times.first,
            let seconds = Int64(String(decoding: text, as: UTF8.self)), Array("\(seconds)".utf8) == text,
            (now.seconds - 300...now.seconds + 300).contains(seconds)
        else { return false }
        let valid = Array(Hex.encode(Self.code(of: text + [0x2E] + body)).utf8)
        return elements.contains { element in
            guard element.starts(with: "v1=".utf8) else { return false }
            let digits: [UInt8] = element.dropFirst(3).map { 0x41...0x46 ~= $0 ? $0 + 0x20 : $0 }
            return digits == valid
        }
    }

    private static func code(of message: [UInt8]) -> MessageDigest<32> {
        HMAC<SHA256>.authenticationCode(for: message.span, using: .init(secret))
    }

    private static func filled(_ template: String, with value: String) -> String {
        template.split(separator: "@", omittingEmptySubsequences: false).joined(separator: value)
    }
}
