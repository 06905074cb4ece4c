// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The kinds of hashes in a table, the dearest of which decides how long a wrong password takes.
struct HashKinds: Sendable {
    /// The most kinds that are kept: the dearest ones. A table has a handful.
    private static let limit = 16

    /// The seconds of a computation that is not noticed by those beside it: a slice of a shared core.
    private static let unnoticedSeconds = 0.001

    /// A hash of each kind, by the name of its cost.
    private var kinds: [String: (hash: PasswordHash, estimate: Double)] = [:]

    /// Returns the kinds of stored texts. Those that cannot be verified are left out.
    static func found(
        in hashes: sending some Sequence<String>,
        _ context: PasswordContext
    ) async -> HashKinds {
        var kinds = HashKinds()
        for text in hashes {
            guard let hash = try? PasswordHash(text, limits: context.limits),
                (try? context.check(hash, passwordByteCount: 0)) != nil
            else { continue }
            kinds.insert(hash, in: context)
        }
        return kinds
    }

    /// Adds the kind of a hash.
    mutating func insert(_ hash: PasswordHash, in context: PasswordContext) {
        let cost = context.cost(of: hash, passwordByteCount: 0)
        guard !cost.isPreferred, kinds[cost.name] == nil else { return }
        kinds[cost.name] = (hash, cost.estimatedSeconds)
        if kinds.count > Self.limit, let cheapest = kinds.min(by: { $0.value.estimate < $1.value.estimate }) {
            kinds[cheapest.key] = nil
        }
    }

    /// The hashes of the kinds that can be the dearest: an estimate is accurate to a factor of three.
    var dearCandidates: [PasswordHash] {
        let dearest = kinds.values.map(\.estimate).max() ?? 0
        return kinds.values.filter { $0.estimate * 9 >= dearest }.map(\.hash)
    }

    /// Returns the kind that takes the longest time with passwords of a length; `nil` if none takes longer than a hash by the
    /// policy, since that is computed for all others. A kind that does not accept such passwords computes nothing.
    func dearest(passwordByteCount count: Int, in context: PasswordContext, _ model: CostModel) -> Dearest? {
        let policy = model.expectedSeconds(of: context.cost(of: nil, passwordByteCount: count))
        let times = kinds.values.compactMap { kind -> Dearest? in
            guard context.computes(kind.hash, passwordByteCount: count) else { return nil }
            let cost = context.cost(of: kind.hash, passwordByteCount: count)
            return Dearest(
                hash: kind.hash,
                name: cost.name,
                seconds: model.expectedSeconds(of: cost)
            )
        }
        return times.max { $0.seconds < $1.seconds }.flatMap { $0.seconds > policy ? $0 : nil }
    }

    /// Returns the median time of the dearest verification of passwords of a class of lengths, by the policy or of another kind,
    /// alone or beside others if that is longer; `nil` if all hashes are by the policy, so that nothing shows who exists.
    func longestSeconds(lengthClass: Int, in context: PasswordContext, _ model: CostModel) -> Double? {
        guard !kinds.isEmpty else { return nil }
        let shortest = lengthClass == 0 ? 0 : 8 << lengthClass
        let longest = (16 << lengthClass) - 1
        let hashes = kinds.values.map(\.hash).filter { context.computes($0, passwordByteCount: shortest) }
        return ([nil] + hashes.map(Optional.some))
            .map { model.secondsBesideOthers(of: context.cost(of: $0, passwordByteCount: longest)) }.max()
    }

    /// Returns whether all kinds advance in the lanes of a group, or take no time to speak of.
    func allAdvance(in group: LaneGroup?, _ context: PasswordContext, _ model: CostModel) -> Bool {
        kinds.values.allSatisfy { kind in
            let cost = context.cost(of: kind.hash, passwordByteCount: 0)
            return model.expectedSeconds(of: cost) <= Self.unnoticedSeconds
                || context.laneGroup(verifying: kind.hash) == group
        }
    }

    /// The dearest kind.
    struct Dearest: Sendable {
        /// A hash of it.
        let hash: PasswordHash
        let name: String
        /// The median time of a verification alone.
        let seconds: Double
    }
}
