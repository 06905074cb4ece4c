// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A parser, and the properties that must hold for every input. `Fuzz/targets` lists all of them, with their limits.
struct FuzzTarget: Sendable {
    /// The name, which is also that of the folder in `Fuzz/Corpus`.
    let name: String

    /// Throws if a property does not hold for an input. A crash is a failure, too.
    let check: @Sendable ([UInt8]) throws -> Void

    init(_ name: String, check: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.check = check
    }

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
