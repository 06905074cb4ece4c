// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What happens next to a stored hash under a policy.
public enum PasswordUpgradeStep: Sendable, Hashable, CaseIterable {
    /// The hash is kept: it is at least as strong as the policy requires.
    case keep

    /// The hash is replaced at the next login, and cannot be improved before: its scheme cannot be layered, or it is
    /// layered already.
    case rehash

    /// The hash can be layered now, without the password; see ``PasswordContext/layer(over:)-(String)``. It is replaced
    /// at the next login.
    case layer

    /// The hash is not verified: the policy refuses its scheme, or it is over a limit.
    case refuse
}

/// Whether a hash is to be layered now.
package enum LayeringDecision: Sendable {
    /// It stays as it is: it is strong enough, or is layered already.
    case keep
    /// It stays as it is, because its scheme is not among those to layer.
    case notSelected
    case layer
    /// It should be layered, but cannot be: it is replaced at the next login.
    case impossible(PasswordError)
    /// It is not verified at all.
    case refused(PasswordError)
}

extension PasswordContext {
    /// Returns what happens next to a stored hash.
    ///
    /// - Parameter hash: The hash.
    /// - Returns: The step.
    public func upgradeStep(for hash: PasswordHash) -> PasswordUpgradeStep {
        switch layeringDecision(for: hash) {
        case .layer: .layer
        case .impossible: .rehash
        case .refused: .refuse
        case .keep, .notSelected: assess(hash) == .current ? .keep : .rehash
        }
    }

    /// Returns the class of the records with a hash.
    func recordClass(of hash: PasswordHash) -> PasswordTableAudit.RecordClass {
        switch layeringDecision(for: hash) {
        case .keep, .notSelected: .current
        case .layer: .upgradable
        case .impossible: .weak
        case .refused: .unreadable
        }
    }

    /// Returns whether a hash is layered by an upgrade of its scheme alone.
    func canBeSelected(_ hash: PasswordHash) -> Bool {
        if case .layer = layeringDecision(for: hash, only: [hash.scheme]) { true } else { false }
    }

    /// Returns whether a hash is to be layered now.
    ///
    /// - Parameters:
    ///   - hash: The hash.
    ///   - schemes: The schemes to layer; `nil` for all that this context rates weaker or deprecated.
    /// - Returns: The decision. It computes no hash.
    package func layeringDecision(
        for hash: PasswordHash,
        only schemes: Set<PasswordHash.Scheme>? = nil
    ) -> LayeringDecision {
        if let schemes, !schemes.contains(hash.scheme) { return .notSelected }
        // Before all else: a hash that cannot be verified is of no use, however strong it is.
        do throws(PasswordError) {
            try limits.check(hash.stored.computationCost(passwordByteCount: 0))
        } catch {
            return .refused(error)
        }
        guard policy.assess(hash) != .refused else {
            return .refused(.refused("the policy does not accept hashes of the scheme \(hash.scheme)"))
        }
        guard schemes != nil || assess(hash) != .current else { return .keep }
        guard !hash.isLayered else {
            return isLayeredEnough(hash)
                ? .keep
                : .impossible(
                    .unsupported("it is layered already, at a lower cost or without the current pepper")
                )
        }
        do throws(PasswordError) {
            try checkLayering(over: hash)
            return .layer
        } catch {
            // A selected hash can be strong.
            return assess(hash) == .current ? .keep : .impossible(error)
        }
    }

    /// Returns whether the limits allow verifying a hash.
    func isWithinLimits(_ hash: PasswordHash) -> Bool {
        (try? limits.check(hash.stored.computationCost(passwordByteCount: 0))) != nil
    }
}
