// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

// The dearest kind of hashes of a table, for which all wrong passwords wait.
extension PasswordService {
    /// The kind of hashes for which all wrong passwords wait.
    public struct DearestKind: Sendable, Hashable {
        /// Its scheme and parameters.
        public let name: String
        /// The time of a verification, and of one by the policy.
        public let verification, policy: Duration
        /// The time that all wrong passwords take at least.
        public let rejection: Duration
    }

    /// Tells the service which kinds of hashes its table has, and measures the dearest: otherwise the first wrong password
    /// for a user whose hash is dearer than all before takes longer than the others. Call it before the first login, and
    /// again when kinds were added; kinds of an earlier call are forgotten.
    ///
    /// - Parameter hashes: The stored texts of all users or, of a large table, of some thousand. Those that cannot be
    ///   verified are ignored.
    /// - Returns: The dearest kind; `nil` if none is dearer than hashes by the policy, or after a later call.
    /// - Throws: ``CredKit/PasswordError/cancelled`` if the task is cancelled; ``CredKit/PasswordError/busy`` if too many
    ///   computations wait. The times are estimated then, until they are measured by verifications.
    @discardableResult
    public func prepare(for hashes: sending some Sequence<String>) async throws(PasswordError) -> DearestKind?
    {
        guard configuration.hidesUnknownUsers else { return nil }
        preparations += 1
        let number = preparations
        let kinds = await HashKinds.found(in: hashes, context)
        guard number == preparations else { return nil }
        self.kinds = kinds
        reservePlace()
        for hash in [nil] + kinds.dearCandidates.map(Optional.some) {
            let cost = context.cost(of: hash, passwordByteCount: 0)
            // Of short ones the median of three.
            var count = costModel.seconds(of: cost) == nil ? 3 : 0
            while count > 0 {
                let password = String(UInt64.random(in: .min ... .max), radix: 36)
                _ = try await verification(
                    of: password,
                    against: hash.map { .success($0) },
                    equalizesTiming: hash == nil,
                    group: nil
                )
                guard number == preparations else { return nil }
                count = costModel.expectedSeconds(of: cost) > 0.2 ? 0 : count - 1
            }
        }
        reservePlace()
        guard let dearest = kinds.dearest(passwordByteCount: 0, in: context, costModel) else { return nil }
        return DearestKind(
            name: dearest.name,
            verification: .seconds(dearest.seconds),
            policy: .seconds(costModel.expectedSeconds(of: context.cost(of: nil, passwordByteCount: 0))),
            rejection: .seconds(dearest.rejectionSeconds)
        )
    }

    /// Delays the answer to a wrong password to a multiple of the time that the dearest kind takes.
    func delayRejection(
        since start: Duration,
        passwordByteCount count: Int
    ) async throws(PasswordError) {
        guard configuration.hidesUnknownUsers,
            let seconds = kinds.rejectionSeconds(passwordByteCount: count, in: context, costModel)
        else { return }
        let delay = RejectionDelay(interval: .seconds(seconds))
        do {
            try await delay.wait(since: start, on: clock)
        } catch {
            throw .cancelled
        }
    }
}
