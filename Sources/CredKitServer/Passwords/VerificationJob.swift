// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The result of a verification, with its measured times.
struct VerificationReport: Sendable {
    /// The time that a computation took, in seconds of CPU time.
    struct Measurement: Sendable {
        /// The additional part of a hash by the policy.
        struct TopUp: Sendable {
            let share: Double
            let seconds: Double
            /// The cost of a whole hash.
            let preferred: VerificationCost
        }

        let cost: VerificationCost
        let seconds: Double
        /// The additional work, if there was any and nothing else advanced beside it.
        var topUp: TopUp?
        /// The part of the time that the computation took from its core, if others advanced beside it.
        var share: Double?
    }

    let answer: Result<PasswordVerification, PasswordError>
    var measured: Measurement?
    /// The stored hash, if it was compared with the password.
    var compared: PasswordHash?
}

/// One verification, with the additional work that makes it take as long as any other.
struct VerificationJob: Sendable {
    private var context: PasswordContext
    private var interruption = Interruption.never
    private let hash: Result<PasswordHash, PasswordError>?
    private let equalizesTiming: Bool
    private let costModel: CostModel

    init(
        context: PasswordContext,
        hash: Result<PasswordHash, PasswordError>?,
        equalizesTiming: Bool,
        costModel: CostModel
    ) {
        self.context = context
        self.hash = hash
        self.equalizesTiming = equalizesTiming
        self.costModel = costModel
    }

    /// The maximum memory of the job, in bytes.
    var memoryByteCount: Int {
        context.memoryByteCount(verifying: hash.flatMap { try? $0.get() })
    }

    /// The seconds that the job is expected to take from a core. A mismatch takes as long as one with a hash by the policy.
    func expectedSeconds(for password: some SecretInput) -> Double {
        var costs = hash.flatMap { try? $0.get() }.map { [cost(of: $0, password)] } ?? []
        if equalizesTiming { costs.append(cost(of: nil, password)) }
        // The dearest alone, since one that was not measured beside others yet would seem dearer than it is.
        let dearest = costs.max { costModel.expectedSeconds(of: $0) < costModel.expectedSeconds(of: $1) }
        return dearest.map { costModel.secondsOfCore(for: $0) } ?? 0
    }

    /// Computes on the calling thread, until it is interrupted.
    func run(_ password: some SecretInput, _ interruption: Interruption) -> VerificationReport {
        var job = self
        job.interruption = interruption
        job.context = PasswordContext(context, interruption: interruption)
        return job.run(password)
    }

    private func run(_ password: some SecretInput) -> VerificationReport {
        switch hash {
        case nil: return spendWhole(on: password, answer: .success(.mismatch))
        case .failure(let error): return spendWhole(on: password, answer: .failure(error))
        case .success(let hash): return verify(password, hash)
        }
    }

    private func verify(_ password: some SecretInput, _ hash: PasswordHash) -> VerificationReport {
        let start = interruption.time
        do throws(PasswordError) {
            let verification = try context.verify(password, against: hash)
            var measured = measurement(of: hash, password, since: start)
            switch verification {
            case .match(rehashed: _?):
                // A whole hash by the policy was computed as well, so that no work is missing and no time is measured.
                return VerificationReport(answer: .success(verification), compared: hash)
            case .match:
                break
            case .mismatch:
                measured.topUp = topUp(measured, password)
            }
            return VerificationReport(answer: .success(verification), measured: measured, compared: hash)
        } catch {
            guard error != .cancelled else { return VerificationReport(answer: .failure(error)) }
            // Nothing was computed. A password that the hash's scheme does not support is a wrong one; a more precise
            // error would reveal the kind of the user's hash.
            let isWrong = error == .passwordTooLong || error == .passwordContainsNUL
            return spendWhole(on: password, answer: isWrong ? .success(.mismatch) : .failure(error))
        }
    }

    private func measurement(
        of hash: PasswordHash?,
        _ password: some SecretInput,
        since start: ComputedTime
    ) -> VerificationReport.Measurement {
        let time = interruption.time - start
        return VerificationReport.Measurement(
            cost: cost(of: hash, password),
            seconds: time.seconds,
            share: time.isShared ? time.share : nil
        )
    }

    private func cost(of hash: PasswordHash?, _ password: some SecretInput) -> VerificationCost {
        context.cost(of: hash, passwordByteCount: password.withSecretBytes { $0.count })
    }

    /// Performs the work by which a hash is cheaper than one by the policy.
    private func topUp(
        _ measured: VerificationReport.Measurement,
        _ password: some SecretInput
    ) -> VerificationReport.Measurement.TopUp? {
        guard equalizesTiming, !measured.cost.isPreferred else { return nil }
        let preferred = cost(of: nil, password)
        let start = interruption.time
        let share = context.spend(missingShare(measured, preferred), on: password)
        let time = interruption.time - start
        guard share > 0, !time.isShared else { return nil }
        return .init(share: share, seconds: time.seconds, preferred: preferred)
    }

    /// Returns the work by which a hash is cheaper than one by the policy, as a fraction of the latter.
    func missingShare(_ measured: VerificationReport.Measurement, _ preferred: VerificationCost) -> Double {
        guard let whole = costModel.seconds(of: preferred) else { return 1 - measured.cost.estimatedShare }
        // Uses the recent times of hashes of this cost, not the time of this one: compensating a single delay would
        // make the sum steadier than a hash by the policy is.
        let own = costModel.seconds(of: measured.cost) ?? measured.seconds
        return min(
            1,
            (whole - own) / (costModel.secondsOfWhole(beside: measured.cost, of: preferred) ?? whole)
        )
    }

    private func spendWhole(
        on password: some SecretInput,
        answer: Result<PasswordVerification, PasswordError>
    ) -> VerificationReport {
        guard equalizesTiming else { return VerificationReport(answer: answer) }
        let start = interruption.time
        guard context.spend(1, on: password) == 1 else { return VerificationReport(answer: answer) }
        return VerificationReport(answer: answer, measured: measurement(of: nil, password, since: start))
    }
}
