// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Any key of a JSON object.
struct JSONKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: some StringProtocol) { stringValue = String(text) }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
