// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A scheme with its costs, for making new hashes.
///
/// ```swift
/// let parameters = try PasswordParameters.argon2id(memory: .mebibytes(64), passes: 3)
/// ```
public struct PasswordParameters: Sendable, Hashable, CustomStringConvertible {
    /// The scheme.
    public let scheme: PasswordHash.Scheme

    /// The costs by name, in the scheme's order; memory in KiB.
    public let costs: [PasswordHash.Parameter]

    let schemeParameters: any SchemeParameters

    /// Creates the parameters of a scheme from costs by name, as the `credkit` command names them. Costs that are
    /// left out have their recommended values. Methods such as ``argon2id(memory:passes:lanes:)`` do the same with types.
    ///
    /// - Parameters:
    ///   - scheme: One of ``availableSchemes``.
    ///   - costs: Costs by name, memory in KiB: `["memory": 65536, "passes": 3]`.
    /// - Throws: ``PasswordError/invalidParameters`` if no new hashes of the scheme can be made, it has no cost of a
    ///   given name, or a cost is outside its range.
    public init(_ scheme: PasswordHash.Scheme, costs: [String: Int] = [:]) throws(PasswordError) {
        guard let algorithm = PasswordSchemes.algorithm(of: scheme) else {
            throw .invalidParameters("the scheme \(scheme) is only verified: no new hashes of it can be made")
        }
        if let name = costs.keys.sorted().first(where: { name in !algorithm.costs.contains { $0.name == name }
        }) {
            let names = algorithm.costs.map(\.name).joined(separator: ", ")
            throw .invalidParameters("\(scheme) has no cost '\(name)'; its costs are \(names)")
        }
        var values: [Int] = []
        for cost in algorithm.costs {
            let value = costs[cost.name] ?? cost.recommended
            guard cost.range.contains(value) else {
                throw .invalidParameters(
                    "\(cost.name) of \(scheme) is \(value), but must be from \(cost.range.lowerBound) to "
                        + "\(cost.range.upperBound)"
                )
            }
            values.append(value)
        }
        self.scheme = scheme
        self.costs = zip(algorithm.costs, values).map { .init($0.name, $1) }
        schemeParameters = try algorithm.make(values)
    }

    /// Creates parameters from costs that are known to be in range.
    init(scheme: PasswordHash.Scheme, costs: [PasswordHash.Parameter], _ parameters: any SchemeParameters) {
        self.scheme = scheme
        self.costs = costs
        schemeParameters = parameters
    }

    /// Creates the parameters that a stored hash was made with; `nil` if no new hashes can be made with them.
    init?(of hash: PasswordHash) {
        guard let algorithm = PasswordSchemes.algorithm(of: hash.scheme) else { return nil }
        var costs: [String: Int] = [:]
        for cost in algorithm.costs {
            guard
                let value = hash.parameters.first(where: { $0.name == cost.name }).flatMap({ Int($0.value) })
            else { return nil }
            costs[cost.name] = value
        }
        guard let parameters = try? Self(hash.scheme, costs: costs) else { return nil }
        self = parameters
    }

    /// The schemes that new hashes can have.
    public static var availableSchemes: [PasswordHash.Scheme] { PasswordSchemes.algorithms.map(\.scheme) }

    /// Returns the costs of a scheme: the name, its meaning, the recommended value, and whether it is a number of
    /// KiB. The list is empty for schemes that are only verified.
    package static func costs(of scheme: PasswordHash.Scheme) -> [PasswordAlgorithm.CostParameter] {
        PasswordSchemes.algorithm(of: scheme)?.costs ?? []
    }

    /// The memory that making a hash takes.
    public var memory: MemorySize { schemeParameters.computationCost(passwordByteCount: 0).memory }

    /// The scheme and its costs: `argon2id memory=19456 passes=2`.
    public var description: String {
        ([scheme.name] + costs.map(\.description)).joined(separator: " ")
    }

    /// Returns whether both have the same scheme with the same costs, and make the same form of text.
    public static func == (left: Self, right: Self) -> Bool {
        left.scheme == right.scheme && left.costs == right.costs
            && left.schemeParameters.variant == right.schemeParameters.variant
    }

    /// Feeds scheme, costs and form to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(costs)
        hasher.combine(schemeParameters.variant)
    }
}
