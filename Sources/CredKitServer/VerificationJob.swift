// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What a verification yields.
struct VerificationReport: Sendable {
    /// How long something took, in seconds of computation.
    struct Measurement: Sendable {
        /// What all hashes of the same cost are called.
        let costClass: String
        let seconds: Double
        /// The part of a hash by the policy that was spent besides.
        var topUp: (share: Double, seconds: Double)?
    }

    let answer: Result<PasswordVerification, PasswordError>
    var measured: Measurement?
}

/// One verification, and what has to be computed beside it so that it takes as long as any other.
struct VerificationJob: Sendable {
    private let hasher: PasswordHasher
    private let hash: Result<PasswordHash, PasswordError>?
    private let isEqualizing: Bool
    private let times: CostTimes

    init(hasher: PasswordHasher, hash: String?, isEqualizing: Bool, times: CostTimes) {
        self.hasher = hasher
        self.isEqualizing = isEqualizing
        self.hash = hash.map { text in
            Result { () throws(PasswordError) in try PasswordHash(text, limits: hasher.limits) }
        }
        self.times = times
    }

    /// The memory that the job takes at most, in bytes.
    var memoryByteCount: Int {
        hasher.memoryByteCount(verifying: hash.flatMap { try? $0.get() })
    }

    func run(_ password: some SecretInput) -> VerificationReport {
        // Every user alike is told that a password is too long.
        do throws(PasswordError) {
            try hasher.checkLength(of: password)
        } catch {
            return VerificationReport(answer: .failure(error))
        }
        switch hash {
        case nil: return spendWhole(on: password, answer: .success(.mismatch))
        case .failure(let error): return spendWhole(on: password, answer: .failure(error))
        case .success(let hash): return verify(password, hash)
        }
    }

    private func verify(_ password: some SecretInput, _ hash: PasswordHash) -> VerificationReport {
        let start = ComputationThread.computedSeconds
        do throws(PasswordError) {
            let verification = try hasher.verify(password, against: hash)
            var measured = VerificationReport.Measurement(
                costClass: hasher.costClass(of: hash),
                seconds: ComputationThread.computedSeconds - start
            )
            switch verification {
            case .match(upgraded: _?):
                // A whole hash by the policy was computed besides, so that nothing is missing and nothing measured.
                return VerificationReport(answer: .success(verification))
            case .match:
                break
            case .mismatch:
                measured.topUp = topUp(hash, measured, password)
            }
            return VerificationReport(answer: .success(verification), measured: measured)
        } catch {
            // Nothing was computed, then. A password that a hash's scheme cannot have is a wrong one, and to say more
            // would say what kind of hash the user has.
            let isWrong = error == .passwordTooLong || error == .passwordContainsNUL
            return spendWhole(on: password, answer: isWrong ? .success(.mismatch) : .failure(error))
        }
    }

    /// Spends what a hash lacks to the work of one by the policy.
    private func topUp(
        _ hash: PasswordHash,
        _ measured: VerificationReport.Measurement,
        _ password: some SecretInput
    ) -> (share: Double, seconds: Double)? {
        guard isEqualizing, measured.costClass != hasher.preferredCostClass else { return nil }
        let share = missingShare(of: hash, measured)
        guard share > 0 else { return nil }
        let start = ComputationThread.computedSeconds
        hasher.spend(share, on: password)
        return (share, ComputationThread.computedSeconds - start)
    }

    /// What a hash lacks to the work of one by the policy, as a part of that.
    func missingShare(of hash: PasswordHash, _ measured: VerificationReport.Measurement) -> Double {
        guard let whole = times.seconds(of: hasher.preferredCostClass) else {
            return 1 - hasher.reckonedShare(of: hash)
        }
        // What hashes of the cost took lately, not what this one took: to make up for a single delay would make the
        // sum steadier than a hash by the policy is.
        let own = times.seconds(of: measured.costClass) ?? measured.seconds
        return min(1, (whole - own) / (times.secondsOfWhole(beside: measured.costClass) ?? whole))
    }

    private func spendWhole(
        on password: some SecretInput,
        answer: Result<PasswordVerification, PasswordError>
    ) -> VerificationReport {
        guard isEqualizing else { return VerificationReport(answer: answer) }
        let start = ComputationThread.computedSeconds
        hasher.spend(1, on: password)
        let measured = VerificationReport.Measurement(
            costClass: hasher.preferredCostClass,
            seconds: ComputationThread.computedSeconds - start
        )
        return VerificationReport(answer: answer, measured: measured)
    }
}
