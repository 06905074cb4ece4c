// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder that is removed with the value.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = "/tmp/credkit-lists-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and returns its path.
    func write(_ bytes: some Sequence<UInt8>, _ name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: self[name]))
        return self[name]
    }

    func write(_ text: String, _ name: String) throws -> String { try write(text.utf8, name) }

    subscript(_ name: String) -> String { "\(path)/\(name)" }
}
