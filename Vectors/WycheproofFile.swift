// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file of Wycheproof's test vectors: its source, and the groups of cases. Flags and further forms of keys are left out.
public struct WycheproofFile<Group: Decodable & Sendable>: Decodable, Sendable {
    /// Where the file comes from.
    public let source: String
    /// The groups, each with its parameters and its cases.
    public let testGroups: [Group]

    /// Reads a file of the folder `Data/wycheproof`, which is part of the module.
    ///
    /// - Parameter name: Its name without `_test.json`.
    /// - Returns: The decoded file.
    /// - Throws: A Foundation error if the file is missing or malformed.
    public static func load(_ name: String) throws -> WycheproofFile {
        let folder = "Data/wycheproof"
        guard let url = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: folder)
        else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try JSONDecoder().decode(WycheproofFile.self, from: Data(contentsOf: url))
    }
}
