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

    /// The interval of rejections for passwords of one order of length.
    ///
    /// It is longer than the dearest hash takes: other threads and programs make a single verification take twice the median, or
    /// more. It stays while the median changes by less than a quarter: one that followed it would show whose verifications had
    /// changed it.
    struct RejectionInterval: Sendable {
        private var seconds = 0.0

        /// Returns the interval for a table whose dearest hash takes a time at present, in seconds.
        mutating func seconds(dearest: Double) -> Double {
            let least = dearest * 3
            if !(seconds / 2...seconds).contains(least) { seconds = least * 1.25 }
            return seconds
        }
    }

    /// Tells the service which kinds of hashes its table has, and measures the dearest: otherwise the first wrong password for
    /// a user whose hash is of another kind than all before takes another time than those before. Call it before the first
    /// login, and again when kinds were added; kinds of an earlier call are forgotten.
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
        rejectionIntervals = [:]
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
        // What was measured first is less exact.
        rejectionIntervals = [:]
        guard let dearest = kinds.dearest(passwordByteCount: 0, in: context, costModel),
            let rejection = rejectionInterval(passwordByteCount: 0)
        else { return nil }
        return DearestKind(
            name: dearest.name,
            verification: .seconds(dearest.seconds),
            policy: .seconds(costModel.expectedSeconds(of: context.cost(of: nil, passwordByteCount: 0))),
            rejection: rejection
        )
    }

    /// Delays the answer to a wrong password. Cheaper hashes than those of the policy need it as well: the time of one with the
    /// work that is missing varies otherwise.
    func delayRejection(
        since start: Duration,
        passwordByteCount count: Int
    ) async throws(PasswordError) {
        guard configuration.hidesUnknownUsers, let interval = rejectionInterval(passwordByteCount: count)
        else { return }
        do {
            try await RejectionDelay(interval: interval).wait(since: start, on: clock)
        } catch {
            throw .cancelled
        }
    }

    /// Depends on the length of a password only by its class: otherwise lengths in turn would set the interval anew each time.
    private func rejectionInterval(passwordByteCount count: Int) -> Duration? {
        let lengthClass = context.cost(of: nil, passwordByteCount: count).lengthClass
        return kinds.longestSeconds(lengthClass: lengthClass, in: context, costModel).map { dearest in
            .seconds(rejectionIntervals[lengthClass, default: RejectionInterval()].seconds(dearest: dearest))
        }
    }
}
