// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// What a server needs in order to answer for an unknown user, or a weaker hash, in the time of a hash by the policy.
extension PasswordHasher {
    /// The memory that a verification of a hash takes at most, in bytes, with what follows it. What is over the limit is
    /// refused before it takes any.
    package func memoryByteCount(verifying hash: PasswordHash?) -> Int {
        let stored = hash?.memoryByteCount ?? 0
        return max(policy.preferred.memoryByteCount, stored <= limits.memoryByteCount ? stored : 0)
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

    /// What decides how long the verification of a hash takes; of a hash by the policy where there is none.
    package func cost(of hash: PasswordHash?, passwordByteCount: Int) -> PasswordCost {
        let recipe = policy.preferred.recipe
        let count =
            hash?.pepperKeyID == nil || hash?.isLayered == true
            ? passwordByteCount : PasswordPepper.outputByteCount
        func seconds(_ count: Int) -> Double {
            max(1e-9, (hash?.stored.expense ?? recipe.expense)(count).seconds)
        }
        let isPreferred = hash.map { recipe.hasCosts(of: $0.stored) } ?? true
        let name =
            isPreferred
            ? policy.preferred.description
            : (["\(hash?.scheme.name ?? "")"] + (hash?.parameters.map(\.description) ?? [])).joined(
                separator: " "
            )
        return PasswordCost(
            name: name,
            isPreferred: isPreferred,
            lengthFactor: seconds(count) / seconds(0),
            lengthClass: (count / 16).bitWidth - (count / 16).leadingZeroBitCount,
            reckonedShare: seconds(count) / max(1e-9, recipe.expense(passwordByteCount: count).seconds)
        )
    }

    /// Works as long as a part of a new hash takes, and yields nothing.
    ///
    /// - Parameters:
    ///   - share: The part; 1 is a whole hash.
    ///   - password: What is hashed.
    /// - Returns: The part that was really spent; 0 where it is too little to matter, or could not be.
    package func spend(_ share: Double, on password: some SecretInput) -> Double {
        let recipe = policy.preferred.recipe
        guard share > 0, let portion = share >= 1 ? PasswordPortion(recipe) : recipe.portion(share) else {
            return 0
        }
        return password.withSecretBytes { password in
            // What is done to a password that is compared is done here, too.
            let normalized = normalizedIfPossible(password)
            let peppered = pepper.flatMap { pepper in
                try?
                    (normalized?.withSecretBytes { (password) throws(PasswordError) in
                        try pepper.apply(pepper.currentKeyID, to: password)
                    } ?? pepper.apply(pepper.currentKeyID, to: password))
            }
            for _ in 0..<portion.repetitions {
                let isSpent =
                    (peppered ?? normalized)?.withSecretBytes { spend(portion.recipe, on: $0) }
                    ?? spend(portion.recipe, on: password)
                guard isSpent else { return 0 }
            }
            return portion.share
        }
    }

    private func spend(_ recipe: any PasswordRecipe, on password: Span<UInt8>) -> Bool {
        if (try? recipe.hash(password, context)) != nil { return true }
        // Where the scheme cannot have this password, any other takes as long.
        return
            (try? "password".withSecretBytes { (password) throws(PasswordError) in
                try recipe.hash(password, context)
            }) != nil
    }
}

/// What decides how long a verification takes.
package struct PasswordCost: Sendable {
    /// The same for all hashes of one scheme and cost.
    package let name: String
    /// Whether it is what new hashes cost.
    package let isPreferred: Bool
    /// How many times as long as with an empty password it takes, reckoned.
    package let lengthFactor: Double
    /// The order of magnitude of the password's length, for what is reckoned is not exact.
    package let lengthClass: Int
    /// How much of the work of a hash by the policy it is, reckoned.
    package let reckonedShare: Double
}
