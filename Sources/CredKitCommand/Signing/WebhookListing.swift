// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// The result of verifying a webhook, as text and as JSON.
struct WebhookListing: Encodable {
    private let result: String
    private let id: String?
    private let timestamp: String?
    /// Why the webhook is invalid; `nil` if it is valid.
    let reason: String?

    /// Creates the result of a valid webhook.
    ///
    /// - Parameters:
    ///   - id: The signed identifier; `nil` if the format signs none.
    ///   - timestamp: The signed time; `nil` if the format signs none.
    init(id: String?, timestamp: UnixTime?) {
        result = "valid"
        self.id = id
        self.timestamp = timestamp.map { "\($0)" }
        reason = nil
    }

    /// Creates the result of an invalid webhook.
    init(_ reason: WebhookSignature.Reason) {
        result = "invalid"
        (id, timestamp) = (nil, nil)
        self.reason = reason.description
    }

    /// The lines for people.
    var text: String {
        guard reason == nil else { return result }
        var lines = [result]
        if let id { lines.append("id: \(ShellQuoting.escapingUnprintable(id))") }
        lines.append("timestamp: \(timestamp ?? "none, so that it can be sent again")")
        return lines.joined(separator: "\n")
    }
}
