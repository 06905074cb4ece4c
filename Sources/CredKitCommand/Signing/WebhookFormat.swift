// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The form of a webhook's signature.
enum WebhookFormat: String, ExpressibleByArgument, CaseIterable {
    case standard, github, stripe

    /// The maximum size of a body in bytes, all of which is held in memory.
    static let maximumBodyByteCount = 64 << 20

    /// Rejects options for what a format does not sign.
    ///
    /// - Parameters:
    ///   - isSigned: Whether the format signs what the options are for.
    ///   - options: The names of the options, and whether each is given.
    /// - Throws: `ValidationError`.
    func check(signs isSigned: Bool, _ options: [(name: String, isGiven: Bool)]) throws {
        guard !isSigned, let option = options.first(where: \.isGiven) else { return }
        throw ValidationError("\(option.name) has no meaning for \(rawValue), which does not sign that.")
    }

    /// The headers that a webhook must have.
    var headerNames: String {
        switch self {
        case .standard: "webhook-id, webhook-timestamp, webhook-signature"
        case .github: WebhookSignature.GitHub.headerName
        case .stripe: WebhookSignature.Stripe.headerName
        }
    }

    /// Whether the signature covers a time.
    var signsTime: Bool { self != .github }

    /// Returns the headers that sign a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - secrets: The secrets.
    ///   - id: The identifier of the event, for ``standard``.
    ///   - time: The time, for all but ``github``.
    /// - Returns: Names and values.
    /// - Throws: `SignatureError` if a secret, the identifier or the time is unsuitable.
    func headers(
        for body: [UInt8],
        _ secrets: [SecretBytes],
        id: String,
        at time: UnixTime
    ) throws(SignatureError) -> [(name: String, value: String)] {
        switch self {
        case .standard:
            return try WebhookSignature.Standard(secrets: secrets).headers(for: body, id: id, at: time)
        case .github:
            let signature = try WebhookSignature.GitHub(secrets: secrets).signature(of: body)
            return [(name: WebhookSignature.GitHub.headerName, value: signature)]
        case .stripe:
            let signature = try WebhookSignature.Stripe(secrets: secrets).signature(of: body, at: time)
            return [(name: WebhookSignature.Stripe.headerName, value: signature)]
        }
    }

    /// Verifies a webhook.
    ///
    /// - Parameters:
    ///   - body: The body as it was received.
    ///   - headers: All headers of the request.
    ///   - secrets: The secrets, each of which is accepted.
    ///   - tolerance: How far the time may be from `now`.
    ///   - now: The current time.
    /// - Returns: Whether the webhook is valid, or why it is not.
    /// - Throws: `SignatureError` if a secret is unsuitable.
    func verify(
        _ body: [UInt8],
        headers: [(name: String, value: String)],
        _ secrets: [SecretBytes],
        tolerance: Duration,
        at now: UnixTime
    ) throws(SignatureError) -> WebhookListing {
        switch self {
        case .standard:
            let webhooks = try WebhookSignature.Standard(secrets: secrets, tolerance: tolerance)
            switch webhooks.verify(body, at: now, headers: headers) {
            case .valid(let id, let time): return WebhookListing(id: id, timestamp: time)
            case .invalid(let reason): return WebhookListing(reason)
            }
        case .github:
            switch try WebhookSignature.GitHub(secrets: secrets).verify(body, headers: headers) {
            case .valid: return WebhookListing(id: nil, timestamp: nil)
            case .invalid(let reason): return WebhookListing(reason)
            }
        case .stripe:
            let webhooks = try WebhookSignature.Stripe(secrets: secrets, tolerance: tolerance)
            switch webhooks.verify(body, at: now, headers: headers) {
            case .valid(let time): return WebhookListing(id: nil, timestamp: time)
            case .invalid(let reason): return WebhookListing(reason)
            }
        }
    }
}

extension CommandFailure {
    /// Creates the failure that reports an error with a secret, an identifier or a time of webhooks.
    init(webhook error: SignatureError) {
        let status: ExitStatus =
            switch error.code {
            case .invalidMetadata: .usage
            case .outOfMemory: .tryAgain
            default: .malformed
            }
        self.init(status, "\(error)")
    }
}
