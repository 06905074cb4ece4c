// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitVectors

/// A hash behind a name in braces that its system or a document publishes.
struct PrefixedHashVector: Decodable, Sendable {
    let scheme: String
    let hash: String
    let password: String
    let systems: [String]
    let origin: String

    static func all() throws -> [Self] { try VectorFile<Self>.load("published-prefixed-hashes").cases }
}
