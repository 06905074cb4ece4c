// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options that make a command read from files or descriptors.
package protocol InputSource {
    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { get }
}

/// All inputs of a command.
package enum InputSources {
    /// Rejects a command line in which two values come from the same descriptor.
    ///
    /// - Parameters:
    ///   - sources: The groups of options that the command reads from.
    ///   - others: Further descriptors, `nil` if the number is not known.
    /// - Throws: `ValidationError`.
    package static func check(_ sources: any InputSource..., others: [Int32?] = []) throws {
        let all = sources.flatMap(\.descriptors) + others.compactMap { $0 }
        guard Set(all).count == all.count else {
            throw ValidationError(
                "Two values cannot come from the same input; use another source for one of them."
            )
        }
    }
}
