// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// The output form of a stored hash.
struct HashListing: Encodable {
    let scheme: String
    /// The systems that write such a text, if it names them.
    let system: String?
    /// The identifier of its pepper.
    let pepper: String?
    /// What the text of the hash states.
    let parameters: [String: NumberOrText]
    let saltLength: Int
    /// The memory that a verification takes.
    let memoryKiB: Int
    /// The estimated time of a verification.
    let milliseconds: Double
    let weakness: String?
    let policy: String
    /// The scheme and costs of the hash that would replace it.
    let replacedBy: String?

    /// The parameters as text, in their own order.
    private let rows: [(String, String)]

    private enum CodingKeys: CodingKey {
        case scheme, system, pepper, parameters, saltLength, memoryKiB, milliseconds, weakness, policy,
            replacedBy
    }

    init(_ hash: PasswordHash) {
        let policy = PasswordPolicy.recommended
        let status = policy.assess(hash)
        scheme = SchemeArgument.name(of: hash)
        system = hash.systems.isEmpty ? nil : hash.systems.joined(separator: ", ")
        pepper = hash.pepperKeyID
        parameters = SchemeCosts.json(hash.parameters)
        rows = hash.parameters.map { (SchemeCosts.word($0.name), SchemeCosts.value($0)) }
        saltLength = hash.salt.count
        memoryKiB = hash.memory.kibibytes
        milliseconds = (hash.estimatedTime / .milliseconds(1) * 100).rounded() / 100
        weakness = hash.weakness
        self.policy = "\(status)"
        let preferred = policy.preferred
        replacedBy = status == .current ? nil : "\(preferred.scheme) \(SchemeCosts.options(preferred))"
    }

    /// The properties for people, one per line.
    var text: String {
        let all: [(String, String?)] =
            [("scheme", scheme), ("system", system), ("pepper", pepper)] + rows.map { ($0, $1) } + [
                ("salt-length", "\(saltLength)"),
                ("memory-needed", "\(MemorySizeArgument(kibibytes: memoryKiB))"),
                ("milliseconds", "\(milliseconds)"), ("weakness", weakness), ("policy", policy),
                ("replaced-by", replacedBy),
            ]
        let present = all.compactMap { name, value in value.map { (name, $0) } }
        let width = present.map(\.0.count).max() ?? 0
        return present.map { name, value in
            "\(name):" + String(repeating: " ", count: width - name.count + 1) + value
        }.joined(separator: "\n")
    }
}
