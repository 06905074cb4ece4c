// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitSystem
import CredKitTerminal
import CredKitTestSupport
import Testing

@testable import CredKitCommand

/// How many records of a table are decided on before its upgrade begins.
@Suite struct TablePreviewTests {
    private static let md5 = "5ebe2294ecd0e0f08eab7690d2a6ee69"

    /// Counts the records that another target decides on.
    private struct Counting: UpgradeTarget {
        let target: any UpgradeTarget
        let count = Lock<Int>(0)

        var limits: PasswordLimits { target.limits }
        var batchSize: Int { target.batchSize }
        var groupSize: Int { target.groupSize }
        var rehashNote: String { target.rehashNote }
        var summary: String { target.summary }

        func step(for content: [UInt8], read: () throws -> PasswordHash) throws -> UpgradeStep {
            count.withLock { $0 += 1 }
            return try target.step(for: content, read: read)
        }

        func make(_ group: [any HashReplacement]) -> [Result<[UInt8], any Error>] { target.make(group) }
    }

    /// Returns how many records the preview of a table decides on.
    private func decisions(_ table: [String], _ options: String...) throws -> Int {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = try folder.write(table.joined(separator: "\n") + "\n", "table")
        let arguments = ["--input", path, "--output", folder["new"], "--memory", "64KiB", "--passes", "1"]
        let command = try UpgradeCommand.parse(arguments + options)
        let input = FileArgument(bytes: Array(path.utf8))
        let source = try OpenTable(input)
        let layout = try command.options.columns.layout(source, input)
        let target = Counting(target: try command.layering().0)
        _ = try TablePreview(
            source,
            format: command.options.columns.format(of: input),
            name: "table",
            skipsHeader: layout.hasHeader,
            allowsIncompatible: false,
            RecordUpgrader(target: target, column: HashColumn(layout, command.options.bareHashOptions))
        )
        return target.count.withLock { $0 }
    }

    @Test func recordsOfARefusedTableAreNotDecidedOn() throws {
        let table = (1...5000).map { "u\($0):\(Self.md5)" }
        #expect(try decisions(table) == TablePreview.maximumCount)
    }

    /// Only other hashes behind them can be of other programs.
    @Test func bareDigestsAreDecidedOnByTheFirstOnes() throws {
        let table = (1...5000).map { "u\($0):\(Self.md5)" }
        #expect(try decisions(table, "--as", "md5") == TablePreview.maximumCount)
        let others = ["x:$1$abc$iCQ2D3nhptRYi27fDYv2s1"]
        #expect(try decisions(table + others, "--as", "md5") == TablePreview.maximumCount + 1)
        #expect(try decisions(table + others + table, "--as", "md5") == TablePreview.maximumCount + 1)
    }
}
