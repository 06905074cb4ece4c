// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder that other users cannot read, and that is removed with the value.
public final class TemporaryFolder {
    /// The path of the folder.
    public let path: String

    /// Creates a folder.
    public init() throws { path = try Self.make() }

    deinit { Self.remove(path) }

    /// Creates a folder that remains until ``remove(_:)``, and returns its path.
    public static func make() throws -> String {
        var template = Array((NSTemporaryDirectory() + "/credkit-test-XXXXXX").utf8CString)
        guard let path = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        return String(cString: path)
    }

    /// Removes a file, or a folder with its files, if it exists.
    public static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file, and returns its path.
    public func write(_ bytes: some Sequence<UInt8>, _ name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: self[name]))
        return self[name]
    }

    /// Writes a text as a file, and returns its path.
    public func write(_ text: String, _ name: String) throws -> String { try write(text.utf8, name) }

    /// The path of a file in the folder.
    public subscript(_ name: String) -> String { "\(path)/\(name)" }
}
