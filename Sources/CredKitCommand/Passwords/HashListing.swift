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
    /// The same for each system that writes the name in braces before the hash, and reads new ones behind such a name.
    let replacedFor: [Replacement]?

    /// A new hash that a system reads in its own table.
    struct Replacement: Encodable {
        let system: String
        /// The name in braces that the new text begins with.
        let prefix: String
        /// Its scheme and costs, as `credkit hash` takes them.
        let replacedBy: String

        /// By the preferred scheme, or else the first one that the system reads; `nil` if it reads none.
        init?(_ system: PasswordHash.PrefixSystem, _ preferred: PasswordParameters) {
            let schemes = system.schemes
            let parameters =
                schemes.contains(preferred.scheme)
                ? preferred : schemes.first.flatMap { try? PasswordParameters($0) }
            guard let parameters, let prefix = system.prefix(of: parameters.scheme) else { return nil }
            self.system = system.name
            self.prefix = prefix
            replacedBy = "\(parameters.scheme) \(SchemeCosts.options(parameters)) --for \(system.name)"
        }
    }

    /// The parameters as text, in their own order.
    private let rows: [(String, String)]

    private enum CodingKeys: CodingKey {
        case scheme, system, pepper, parameters, saltLength, memoryKiB, milliseconds, weakness, policy,
            replacedBy, replacedFor
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
        let systems = status == .current ? [] : hash.prefixSystems
        let replacements = systems.compactMap { Replacement($0, preferred) }
        replacedFor = replacements.isEmpty ? nil : replacements
    }

    /// The properties for people, one per line.
    var text: String {
        var all: [(String, String?)] =
            [("scheme", scheme), ("system", system), ("pepper", pepper)] + rows.map { ($0, $1) } + [
                ("salt-length", "\(saltLength)"),
                ("memory-needed", "\(MemorySizeArgument(kibibytes: memoryKiB))"),
                ("milliseconds", "\(milliseconds)"), ("weakness", weakness), ("policy", policy),
                ("replaced-by", replacedBy),
            ]
        for replacement in replacedFor ?? [] {
            all.append(
                (
                    "for-\(replacement.system)",
                    "\(replacement.prefix)… (credkit hash \(replacement.replacedBy))"
                )
            )
        }
        let present = all.compactMap { name, value in value.map { (name, $0) } }
        let width = present.map(\.0.count).max() ?? 0
        return present.map { name, value in
            "\(name):" + String(repeating: " ", count: width - name.count + 1) + value
        }.joined(separator: "\n")
    }
}
