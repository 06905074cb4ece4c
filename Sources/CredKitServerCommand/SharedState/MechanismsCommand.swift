// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import ArgumentParser
import CredKit
import CredKitServer
import CredKitTerminal

/// The `credkit-server mechanisms` command: prints what servers with a shared state have counted.
struct MechanismsCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit-server mechanisms",
        abstract: "Print how many logins there were by each mechanism at all servers, or who uses one.",
        discussion: """
            For instance:
              credkit-server mechanisms --state redis://127.0.0.1:6379 --state-key-file state-key
              credkit-server mechanisms … --using timestamped --days 30

            Servers add their counts every 10 seconds or so, and when they end. Accounts are remembered for 400 days after their \
            last login by the mechanism.
            """
    )

    private struct Mechanism: Encodable {
        let mechanism: String
        let logins: Int
        let accounts: Int
        let lastUse: String
    }

    @OptionGroup(title: "Several servers")
    var state: StateOptions

    @Option(
        help: ArgumentHelp(
            "Print the accounts that used this mechanism, one on each line.",
            valueName: "mechanism"
        )
    )
    var using: String?

    @Option(
        help: ArgumentHelp(
            "With --using: the days before now that count, from 1 to 400 (default: 30).",
            valueName: "n"
        )
    )
    var days: Int?

    @Flag(help: "Print a JSON object on each line.")
    var json = false

    func validate() throws {
        guard state.isShared else {
            throw ValidationError(
                "The counts of several servers are in their shared state: give its URL with --state."
            )
        }
        guard days == nil || using != nil else { throw ValidationError("--days requires --using.") }
        guard (1...400).contains(days ?? 1) else { throw ValidationError("--days must be from 1 to 400.") }
    }

    func execute() async throws {
        let shared = try await SharedServerState(state)
        do {
            try await print(shared.mechanismUse)
            await shared.stop()
        } catch {
            await shared.stop()
            throw (error as? SharedStateError).map { shared.failure(SharedStateProblem($0)) } ?? error
        }
    }

    private func print(_ store: any MechanismUseStore) async throws {
        let counts = try await store.counts()
        guard let using else {
            for count in counts { try StandardStreams.write(line(count)) }
            return
        }
        // A mistyped name must not look like a mechanism that no account uses any more.
        guard counts.contains(where: { $0.mechanism == using }) else {
            let names = counts.isEmpty ? "none" : counts.map(\.mechanism).joined(separator: ", ")
            throw CommandFailure(
                .no,
                ShellQuoting.escapingUnprintable(
                    "no login by the mechanism '\(using)' was counted; counted are: \(names)"
                )
            )
        }
        let start = UnixTime.now - .seconds(86_400 * (days ?? 30))
        for account in try await store.accounts(using: using, since: start) {
            try StandardStreams.write(
                json
                    ? JSONLine(["account": account]).bytes
                    : Array((ShellQuoting.escapingUnprintable(account) + "\n").utf8)
            )
        }
    }

    private func line(_ count: MechanismUse.Count) throws -> [UInt8] {
        guard !json else {
            return try JSONLine(
                encoding: Mechanism(
                    mechanism: count.mechanism,
                    logins: count.logins,
                    accounts: count.accounts,
                    lastUse: count.lastUse.description
                )
            )
            .bytes
        }
        let name = ShellQuoting.escapingUnprintable(count.mechanism)
        let text =
            "\(name): \(count.logins) logins, \(count.accounts) accounts, the last at \(count.lastUse)\n"
        return Array(text.utf8)
    }
}
#endif
