// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitVectors

/// A published example of a signed webhook.
struct WebhookVector: Decodable {
    let format: String
    let secret: String
    let id: String?
    let timestamp: Int64?
    let body: String
    let signature: String

    /// Reads the example of a format.
    static func load(_ format: String) throws -> WebhookVector? {
        try VectorFile<WebhookVector>.load("webhook-signatures").cases.first { $0.format == format }
    }
}
