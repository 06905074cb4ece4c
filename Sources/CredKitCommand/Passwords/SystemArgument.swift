// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// A system that reads new hashes behind a name in braces, by the name that `credkit` has for it.
struct SystemArgument: ExpressibleByArgument {
    let system: PasswordHash.PrefixSystem

    private static let systems = PasswordHash.PrefixSystem.allCases.filter { !$0.schemes.isEmpty }

    init?(argument: String) {
        guard let system = Self.systems.first(where: { $0.name == argument }) else { return nil }
        self.system = system
    }

    static var allValueStrings: [String] { systems.map(\.name) }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    /// Rejects a scheme whose hashes the system does not read.
    func check(_ scheme: PasswordHash.Scheme) throws {
        guard !system.schemes.contains(scheme) else { return }
        throw ValidationError(
            "\(system.rawValue) does not read hashes of \(scheme); --for \(system.name) is for "
                + "\(system.schemes.map(\.name).joined(separator: ", "))."
        )
    }

    /// Returns the text that the system reads as a hash.
    func notation(of hash: PasswordHash) throws -> String {
        guard let text = hash.notation(for: system) else {
            throw ValidationError("--for: \(system.rawValue) does not read hashes with these costs.")
        }
        return text
    }
}
