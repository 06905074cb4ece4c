// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors

/// A hash that another tool made.
struct StoredHashCase: Decodable, Sendable {
    let scheme: String
    let hash: String
    let password: String
    let origin: String

    /// The hashes of all schemes.
    static func all() throws -> [Self] {
        try ["password-hashes", "framework-hashes", "scram-verifiers", "prefixed-hashes"].flatMap { name in
            try VectorFile<Self>.load(name).cases
        }
    }

    /// The scheme, with the notation and the variant of the text.
    func form() throws -> String {
        let names = ["notation", "variant", "input", "function", "position"]
        let details = try PasswordHash(hash).parameters.filter { names.contains($0.name) }
        return ([scheme] + details.map(\.value)).joined(separator: " ")
    }

    /// The cheapest hash of each group of cases.
    static func cheapest(by group: (Self) throws -> String) throws -> [Self] {
        var cheapest: [String: (Self, time: Duration)] = [:]
        for test in try all() {
            let (time, name) = (try PasswordHash(test.hash).estimatedTime, try group(test))
            if time < cheapest[name]?.time ?? .seconds(1000) { cheapest[name] = (test, time) }
        }
        return cheapest.values.map(\.0).sorted { $0.hash < $1.hash }
    }
}
