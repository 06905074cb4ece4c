// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitServerCommand

/// The program of `--notify-command`, as the server runs it.
@Suite struct NotifyCommandTests {
    /// What reads and writes the files of users goes on while the program takes its time, and not all of its runs have room.
    @Test func aSlowProgramHoldsUpNothingElse() async throws {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let made = try shell.run(
            """
            cat > notify <<end
            #!/bin/sh
            until [ -e '$PWD/go' ]; do sleep 0.05; done
            echo told >> '$PWD/told'
            end
            chmod 700 notify
            """
        )
        try #require(made.status == 0, "\(made.errors)")
        func path(_ name: String) -> String { shell.folder.appendingPathComponent(name).path }
        let notify = NotifyCommand(FileArgument(argument: path("notify")))
        try await withThrowingTaskGroup(of: CommandFailure?.self) { group in
            for _ in 0...NotifyCommand.maximumCount {
                group.addTask {
                    do {
                        try await notify.tell(.codesChanged, user: "alice")
                        return nil
                    } catch let failure as CommandFailure {
                        return failure
                    }
                }
            }
            // The others have taken their places.
            let first = try await group.next()
            let refused = try #require(first ?? nil)
            #expect(refused.status == .unavailable)
            #expect(refused.message?.hasSuffix("64 runs of it have not ended") == true)
            try await AccountFiles.blocking {}
            #expect(!FileManager.default.fileExists(atPath: path("told")))
            try Data().write(to: shell.folder.appendingPathComponent("go"))
            for try await failure in group { #expect(failure == nil) }
        }
        let told = try shell.run("wc -l < told")
        #expect(told.text == "\(NotifyCommand.maximumCount)\n")
        // There is room again.
        try await notify.tell(.codesChanged, user: "alice")
    }
}
