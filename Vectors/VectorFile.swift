// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file of test vectors: its source, and the cases.
///
/// ```swift
/// struct Case: Decodable { let key, data, mac: HexBytes }
/// for vector in try VectorFile<Case>.load("rfc4231-hmac").cases { … }
/// ```
public struct VectorFile<Case: Decodable & Sendable>: Decodable, Sendable {
    /// The publication of the values.
    public let source: String
    /// The cases, in the order of the publication.
    public let cases: [Case]

    /// Reads a file of the folder `Data`, which is part of the module.
    ///
    /// - Parameter name: Its name without `.json`.
    /// - Returns: The decoded file.
    /// - Throws: A Foundation error if the file is missing or malformed.
    public static func load(_ name: String) throws -> VectorFile {
        guard let url = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Data")
        else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try JSONDecoder().decode(VectorFile.self, from: Data(contentsOf: url))
    }
}
