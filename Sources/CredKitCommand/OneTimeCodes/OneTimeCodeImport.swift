// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTerminal

/// Stores the accounts of an export, and says for each what became of it.
struct OneTimeCodeImport {
    private let export: OneTimeCodeExport
    private let replaces: Bool

    /// - Parameters:
    ///   - export: The accounts.
    ///   - replaces: Whether to replace existing items with another key.
    init(_ export: OneTimeCodeExport, replaces: Bool) {
        self.export = export
        self.replaces = replaces
    }

    /// Stores the accounts in one change.
    ///
    /// - Parameters:
    ///   - keychain: The keychain.
    ///   - placing: Returns service, account and further attributes for a key; `nil` if it has no names.
    /// - Throws: ``CommandFailure`` with the status 1 if some were not added.
    func store(
        in keychain: Keychain,
        placing: (OneTimeCodeKey) throws -> CredentialKey?
    ) async throws {
        let count = export.keys.count + export.refusals.count
        guard count > 0 else { throw CommandFailure(.malformed, "the export has no accounts") }
        var notes: [String] = []
        var failures: [String] = export.refusals.map { "\($0)" }
        var known: Set<CredentialKey> = []
        var changes: [CredentialChange] = []
        for key in export.keys {
            guard let place = try placing(key) else {
                failures.append("an account has no name")
                continue
            }
            let new = OneTimeCodeItem(key, at: place)
            guard known.insert(place).inserted else {
                failures.append("\(place): the export has it twice")
                continue
            }
            let stored = try await keychain.credential(for: new.item.key)
            let isReplaced = stored?.item.key.isSame(as: new.item.key) == true
            if isReplaced, let stored {
                let existing = try? OneTimeCodeKey(uri: stored.secret)
                if existing == key {
                    notes.append("kept \(place), which has this key already")
                    continue
                }
                if let existing, Self.isFurther(existing, than: key) {
                    notes.append("kept \(place), which has this key already, with a counter that is further")
                    continue
                }
                guard replaces else {
                    failures.append("\(place): there is such an item already (--replace overwrites it)")
                    continue
                }
            }
            changes.append(.set(try new.credential()))
            notes.append("\(isReplaced ? "replaced" : "added") \(place)")
        }
        if !changes.isEmpty { try await keychain.update(changes) }
        for note in notes { StandardStreams.report(note) }
        for failure in failures { StandardStreams.report("not added: \(failure)") }
        if export.partCount > 1 {
            StandardStreams.report(
                "this is part \(export.part) of \(export.partCount) of the export: add the others as well"
            )
        }
        guard failures.isEmpty else {
            throw CommandFailure(.no, "\(failures.count) of \(count) accounts were not added")
        }
    }

    /// Whether a key is the same but for a counter that is further: the server refuses the codes before it.
    private static func isFurther(_ key: OneTimeCodeKey, than other: OneTimeCodeKey) -> Bool {
        guard case .counter(let next) = key.kind, case .counter(let exported) = other.kind, next > exported
        else {
            return false
        }
        return (try? key.withCounter(exported)) == other
    }
}
