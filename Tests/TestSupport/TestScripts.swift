// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The places of files that tests use and no test target contains.
public enum TestScripts {
    /// The root of the repository.
    public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the Python programs that tests start.
    public static let folder = root.appendingPathComponent("Tests/Scripts")

    /// The interpreter that `script/python-environment` installs.
    public static let python = root.appendingPathComponent(".build-python/bin/python3")

    /// Returns the path of a Python program.
    public static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The path of the interpreter that `script/python-environment` installs.
    ///
    /// - Returns: The path.
    /// - Throws: ``NoPython`` if it is not installed.
    public static func installedPython() throws -> String {
        guard FileManager.default.isExecutableFile(atPath: python.path) else { throw NoPython() }
        return python.path
    }

    /// There is no interpreter of the tests.
    public struct NoPython: Error, CustomStringConvertible {
        /// What to do about it.
        public let description = "there is no .build-python: run script/python-environment first"
    }
}
