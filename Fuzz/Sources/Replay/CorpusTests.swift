// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Runs every file of `Fuzz/Corpus` once through its target, without libFuzzer.
final class CorpusTests: XCTestCase {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func entries(of folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
    }

    /// The names in `Fuzz/targets`, a table with one target per line.
    private func listedNames() throws -> [String] {
        try String(contentsOf: Self.folder.appendingPathComponent("targets"), encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
                $0.split(separator: " ").first.map(String.init)
            }
    }

    func testTargetsAndFoldersAreTheListedOnes() throws {
        XCTAssertEqual(FuzzTarget.all.map(\.name), try listedNames())
        let folders = try entries(of: Self.folder.appendingPathComponent("Corpus")).map(\.lastPathComponent)
        XCTAssertEqual(folders, try listedNames().sorted())
    }

    func testPropertiesHoldForEveryFile() throws {
        for target in FuzzTarget.all {
            let files = try entries(of: Self.folder.appendingPathComponent("Corpus/\(target.name)"))
            XCTAssertFalse(files.isEmpty, target.name)
            XCTAssertLessThanOrEqual(files.count, 60, target.name)
            // A crash ends the process: the last line names the target.
            print("corpus of \(target.name): \(files.count) files")
            for file in files {
                let bytes = [UInt8](try Data(contentsOf: file))
                XCTAssertLessThanOrEqual(bytes.count, 4096, file.path)
                XCTAssertNoThrow(try target.check(bytes), file.path)
            }
        }
    }
}
