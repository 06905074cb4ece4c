// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The kinds of hashes in a table, the dearest of which decides how long a wrong password takes.
struct HashKinds: Sendable {
    /// The most kinds that are kept: the dearest ones. A table has a handful.
    private static let limit = 16

    /// A kind, with the times from the start to the end of its last wrong passwords, without the part that long passwords add.
    private struct Kind: Sendable {
        let hash: PasswordHash
        let estimate: Double
        var waits: [Double] = []

        /// The second longest time: one that took very long is an exception.
        var longWait: Double { waits.sorted().dropLast(waits.count > 2 ? 1 : 0).last ?? 0 }
    }

    /// By the names of their costs.
    private var kinds: [String: Kind] = [:]

    /// Adds the kind of a hash.
    mutating func insert(_ hash: PasswordHash, in context: PasswordContext) {
        let cost = context.cost(of: hash, passwordByteCount: 0)
        guard !cost.isPreferred, kinds[cost.name] == nil else { return }
        kinds[cost.name] = Kind(hash: hash, estimate: cost.estimatedSeconds)
        if kinds.count > Self.limit, let cheapest = kinds.min(by: { $0.value.estimate < $1.value.estimate }) {
            kinds[cheapest.key] = nil
        }
    }

    /// Records the seconds from the start of a verification to its end: on a busy machine more than it computes.
    mutating func recordWait(
        _ seconds: Double,
        for hash: PasswordHash,
        passwordByteCount count: Int,
        in context: PasswordContext
    ) {
        let cost = context.cost(of: hash, passwordByteCount: count)
        guard let kind = kinds[cost.name] else { return }
        kinds[cost.name]?.waits = (kind.waits + [seconds / cost.lengthFactor]).suffix(CostModel.sampleCount)
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
            let seconds = model.expectedSeconds(of: cost)
            // More than usual, because single verifications take longer, above all on cores that others use. A machine that
            // stood still for a while must not delay all rejections from then on.
            let rejection = min(max(seconds * 1.5, kind.longWait * cost.lengthFactor * 1.25), seconds * 4)
            return Dearest(name: cost.name, seconds: seconds, rejectionSeconds: rejection)
        }
        guard var dearest = times.max(by: { $0.seconds < $1.seconds }), dearest.seconds > policy else {
            return nil
        }
        dearest.rejectionSeconds = times.map(\.rejectionSeconds).max() ?? dearest.rejectionSeconds
        return dearest
    }

    /// The dearest kind.
    struct Dearest: Sendable {
        let name: String
        /// The median time of a verification.
        let seconds: Double
        /// The time to whose multiples rejections are delayed.
        var rejectionSeconds: Double
    }
}
