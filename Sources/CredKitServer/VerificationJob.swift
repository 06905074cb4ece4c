// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What a verification yields.
struct VerificationReport: Sendable {
    let answer: Result<PasswordVerification, PasswordError>
    /// How many seconds of computation hashes of some cost took.
    var measured: [String: Double] = [:]
}

/// One verification, and what has to be computed beside it so that it takes as long as any other.
struct VerificationJob: Sendable {
    private let hasher: PasswordHasher
    private let hash: Result<PasswordHash, PasswordError>?
    private let isEqualizing: Bool
    /// The measured time of a hash by the policy, and of the stored hash, as far as there is one.
    private let preferredSeconds: Double?
    private let expectedSeconds: Double?

    init(hasher: PasswordHasher, hash: String?, isEqualizing: Bool, times: CostTimes) {
        self.hasher = hasher
        self.isEqualizing = isEqualizing
        self.hash = hash.map { text in
            Result { () throws(PasswordError) in try PasswordHash(text, limits: hasher.limits) }
        }
        preferredSeconds = times.median(of: hasher.preferredCostClass)
        expectedSeconds = self.hash.flatMap { try? $0.get() }
            .flatMap { times.median(of: hasher.costClass(of: $0)) }
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
            let seconds = ComputationThread.computedSeconds - start
            let report = VerificationReport(
                answer: .success(verification),
                measured: [hasher.costClass(of: hash): seconds]
            )
            // A match that was upgraded has computed a whole hash by the policy beside; it measured neither.
            if verification == .match(upgraded: nil) { return report }
            guard verification == .mismatch else { return VerificationReport(answer: report.answer) }
            if isEqualizing { hasher.spend(missingShare(of: hash, measured: seconds), on: password) }
            return report
        } catch {
            // Nothing was computed, then. A password that a hash's scheme cannot have is a wrong one, and to say more
            // would say what kind of hash the user has.
            let isWrong = error == .passwordTooLong || error == .passwordContainsNUL
            return spendWhole(on: password, answer: isWrong ? .success(.mismatch) : .failure(error))
        }
    }

    /// What a hash lacks to the work of one by the policy.
    private func missingShare(of hash: PasswordHash, measured: Double) -> Double {
        guard let preferredSeconds else { return 1 - hasher.reckonedShare(of: hash) }
        // What hashes of the cost took lately, not what this one took: to make up for a single delay would make the
        // sum steadier than a hash by the policy is.
        return 1 - (expectedSeconds ?? measured) / preferredSeconds
    }

    private func spendWhole(
        on password: some SecretInput,
        answer: Result<PasswordVerification, PasswordError>
    ) -> VerificationReport {
        guard isEqualizing else { return VerificationReport(answer: answer) }
        let start = ComputationThread.computedSeconds
        hasher.spend(1, on: password)
        let seconds = ComputationThread.computedSeconds - start
        return VerificationReport(answer: answer, measured: [hasher.preferredCostClass: seconds])
    }
}
