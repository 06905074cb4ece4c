// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Layers Argon2id over legacy hashes.
struct Argon2idUpgrade: UpgradeTarget {
    let context: PasswordContext
    /// The schemes to layer; `nil` for all that the policy rates weaker or deprecated.
    let schemes: Set<PasswordHash.Scheme>?

    var summary: String { "\(context.policy.preferred)" }

    let rehashNote = "to rehash at the next login"

    var limits: PasswordLimits { context.limits }
    var batchSize: Int { LayeringBatch.hashesPerWorker }

    func step(for content: [UInt8], read: () throws -> PasswordHash) throws -> UpgradeStep {
        let hash = try read()
        switch context.layeringDecision(for: hash, only: schemes) {
        case .layer: return .replace(Layer(hash: hash, context: context))
        case .keep: return .keep(.current)
        case .notSelected: return .keep(.notSelected)
        case .impossible(let error):
            return .rehash(UpgradeRemark(kind: hash.scheme.name, reason: "\(error)"))
        case .refused(let error): return .problem(UpgradeRemark(error))
        }
    }

    private struct Layer: HashReplacement {
        let hash: PasswordHash
        let context: PasswordContext

        var layeredHash: PasswordHash? { hash }

        func make() throws -> [UInt8] { Array(try context.layer(over: hash).utf8) }

        func mightHaveMade(_ content: [UInt8]) -> Bool {
            let text = String(decoding: content, as: UTF8.self)
            guard let layered = try? PasswordHash(text, limits: context.limits) else { return false }
            return context.mightHaveLayered(layered, over: hash)
        }
    }
}
