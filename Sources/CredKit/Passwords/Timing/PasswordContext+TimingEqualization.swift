// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// These functions let a server answer for an unknown user, or a weaker hash, in the time of a hash by the policy.
extension PasswordContext {
    /// Returns the maximum memory of verifying a hash, in bytes, including the computations that follow it. A hash
    /// above the limit is rejected before it takes any memory.
    package func memoryByteCount(verifying hash: PasswordHash?) -> Int {
        let stored = hash?.memory ?? .bytes(0)
        let replacement = hash.flatMap { replacementParameters(of: $0) }?.memory ?? .bytes(0)
        return [stored, replacement].filter { $0 <= limits.memory }
            .reduce(policy.preferred.memory) { max($0, $1) }.bytes
    }

    /// Returns the group of the computation that verifies a hash; of one by the policy if there is none. `nil` if it computes
    /// alone.
    package func laneGroup(verifying hash: PasswordHash?) -> LaneGroup? {
        let kernels = hash.map(\.stored.laneKernels) ?? policy.preferred.schemeParameters.laneKernels
        return kernels?.group
    }

    /// Returns the same context with a memory limit that is at most `byteCount`.
    package func limited(toMemory byteCount: Int) throws(PasswordError) -> PasswordContext {
        var limits = limits
        limits.memory = min(limits.memory, .bytes(byteCount))
        return try PasswordContext(
            policy: policy,
            limits: limits,
            pepper: pepper,
            legacyKeys: context.legacyKeys
        )
    }

    /// Throws if a password is too long to be compared with any hash.
    package func checkLength(of password: some SecretInput) throws(PasswordError) {
        try password.withSecretBytes { (password) throws(PasswordError) in
            try limits.check(passwordByteCount: password.count)
        }
    }

    /// Whether a hash is computed at all for passwords of a length; otherwise they are refused at once.
    package func computes(_ hash: PasswordHash, passwordByteCount count: Int) -> Bool {
        let isHashedWhole = hash.pepperKeyID == nil || hash.isLayered
        guard
            !(hash.stored.unprefixed is any CryptScheme) || !isHashedWhole
                || count <= UnixCrypt.longestPassword
        else { return false }
        return (try? check(hash, passwordByteCount: count)) != nil
    }

    /// Returns the values that determine how long verifying a hash takes; those of a hash by the policy if there is
    /// none.
    package func cost(of hash: PasswordHash?, passwordByteCount: Int) -> VerificationCost {
        let schemeParameters = policy.preferred.schemeParameters
        let count =
            hash?.pepperKeyID == nil || hash?.isLayered == true
            ? passwordByteCount : PasswordPepper.outputByteCount
        func seconds(_ count: Int) -> Double {
            max(1e-9, (hash?.stored.computationCost ?? schemeParameters.computationCost)(count).seconds)
        }
        let isPreferred = hash.map { schemeParameters.hasCosts(of: $0.stored.unprefixed) } ?? true
        let name =
            isPreferred
            ? policy.preferred.description
            : (["\(hash?.scheme.name ?? "")"] + (hash?.parameters.map(\.description) ?? [])).joined(
                separator: " "
            )
        return VerificationCost(
            name: name,
            isPreferred: isPreferred,
            lengthFactor: seconds(count) / seconds(0),
            lengthClass: (count / 16).bitWidth - (count / 16).leadingZeroBitCount,
            estimatedSeconds: seconds(count),
            estimatedShare: seconds(count)
                / max(1e-9, schemeParameters.computationCost(passwordByteCount: count).seconds)
        )
    }

    /// Computes for as long as a part of a new hash takes, and discards the result.
    ///
    /// - Parameters:
    ///   - share: The part; 1 is a whole hash.
    ///   - password: The password to hash.
    /// - Returns: The part that was actually computed; 0 if it is too small to matter, or the computation failed.
    package func spend(_ share: Double, on password: some SecretInput) -> Double {
        let schemeParameters = policy.preferred.schemeParameters
        guard share > 0,
            let partialComputation = share >= 1
                ? PartialComputation(schemeParameters) : schemeParameters.partialComputation(share)
        else {
            return 0
        }
        return password.withSecretBytes { password in
            // A password that is compared gets the same treatment.
            let normalized = normalizedIfPossible(password)
            let peppered = pepper.flatMap { pepper in
                try?
                    (normalized?.withSecretBytes { (password) throws(PasswordError) in
                        try pepper.apply(pepper.currentKeyID, to: password)
                    } ?? pepper.apply(pepper.currentKeyID, to: password))
            }
            for _ in 0..<partialComputation.repetitions {
                let isSpent =
                    (peppered ?? normalized)?.withSecretBytes {
                        spend(partialComputation.schemeParameters, on: $0)
                    }
                    ?? spend(partialComputation.schemeParameters, on: password)
                guard isSpent else { return 0 }
            }
            return partialComputation.share
        }
    }

    private func spend(_ schemeParameters: any SchemeParameters, on password: Span<UInt8>) -> Bool {
        if (try? schemeParameters.hash(password, context)) != nil { return true }
        // If the scheme does not support this password, any other takes as long.
        return
            (try? "password".withSecretBytes { (password) throws(PasswordError) in
                try schemeParameters.hash(password, context)
            }) != nil
    }
}

/// The values that determine how long a verification takes.
package struct VerificationCost: Sendable {
    /// A name that is the same for all hashes of one scheme and cost.
    package let name: String
    /// Whether the cost is that of new hashes.
    package let isPreferred: Bool
    /// The estimated ratio to the time of an empty password.
    package let lengthFactor: Double
    /// The order of magnitude of the password's length, because the estimate is not exact.
    package let lengthClass: Int
    /// The estimated time, accurate to a factor of three.
    package let estimatedSeconds: Double
    /// The estimated share of the work of a hash by the policy.
    package let estimatedShare: Double
}
