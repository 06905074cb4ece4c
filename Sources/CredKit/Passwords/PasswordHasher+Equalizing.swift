// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// What a server needs in order to answer for an unknown user, or a weaker hash, in the time of a hash by the policy.
extension PasswordHasher {
    /// The memory that a verification of a hash takes at most, in bytes, with what follows it.
    package func memoryByteCount(verifying hash: PasswordHash?) -> Int {
        max(policy.preferred.memoryByteCount, hash?.memoryByteCount ?? 0)
    }

    /// The same hasher with a ceiling for memory that is no higher.
    package func limited(toMemory byteCount: Int) throws(PasswordError) -> PasswordHasher {
        var limits = limits
        limits.memoryByteCount = min(limits.memoryByteCount, byteCount)
        return try PasswordHasher(
            policy: policy,
            limits: limits,
            pepper: pepper,
            legacyKeys: context.legacyKeys
        )
    }

    /// Refuses a password that is too long, whatever it is compared with.
    package func checkLength(of password: some SecretInput) throws(PasswordError) {
        try password.withSecretBytes { (password) throws(PasswordError) in
            try limits.check(passwordByteCount: password.count)
        }
    }

    /// A name for all hashes that take the same time to verify.
    package func costClass(of hash: PasswordHash) -> String {
        let isPreferred =
            hash.scheme == policy.preferred.scheme
            && policy.preferred.costs.allSatisfy(hash.parameters.contains)
        return isPreferred
            ? preferredCostClass
            : ([hash.scheme.name] + hash.parameters.map(\.description)).joined(separator: " ")
    }

    /// The name for hashes by the policy.
    package var preferredCostClass: String { policy.preferred.description }

    /// How much of the work of a hash by the policy the verification of a hash is, reckoned.
    package func reckonedShare(of hash: PasswordHash) -> Double {
        hash.estimatedSeconds / max(policy.preferred.recipe.expense.seconds, 1e-9)
    }

    /// Works as long as a part of a new hash takes, and yields nothing.
    ///
    /// - Parameters:
    ///   - share: The part; 1 is a whole hash, and nothing is done for 0 and less.
    ///   - password: What is hashed.
    package func spend(_ share: Double, on password: some SecretInput) {
        guard share > 0, let portion = policy.preferred.recipe.portion(min(1, share)) else { return }
        password.withSecretBytes { password in
            for _ in 0..<portion.repetitions {
                do throws(PasswordError) {
                    _ = try portion.recipe.hash(password, context)
                } catch {
                    // Where the scheme cannot have this password, any other takes as long. Where memory is missing
                    // there is nothing to be done.
                    _ = try? "password".withSecretBytes { (password) throws(PasswordError) in
                        try portion.recipe.hash(password, context)
                    }
                }
            }
        }
    }
}
