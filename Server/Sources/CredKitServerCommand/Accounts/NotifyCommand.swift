// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import NIOConcurrencyHelpers
import NIOPosix

/// The program of `--notify-command`, which sends users their links, and tells them what was changed.
struct NotifyCommand: Sendable {
    /// What has happened.
    enum Event: String, Sendable, Encodable {
        /// An invitation, with a link.
        case invitation
        /// A link for a new password.
        case reset
        case passwordChanged
        case codesChanged
    }

    /// What the program gets, as a JSON object on a line.
    private struct Message: Encodable, Sendable {
        let event: Event
        let user: String
        let link: String?
        let expires: String?
    }

    /// How many runs there can be at once, with those that wait for a thread.
    static let maximumCount = 64
    private static let count = NIOLockedValueBox(0)
    /// Threads of its own: a slow program must not hold up those that read and write the files of users.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 2)
        threads.start()
        return threads
    }()

    private let program: NotifiedProgram

    /// Names the program.
    init(_ file: FileArgument) { program = NotifiedProgram(file) }

    /// Runs the program.
    ///
    /// - Parameters:
    ///   - event: What has happened.
    ///   - user: The name of the account.
    ///   - link: The link that the user is to get.
    ///   - expiry: When the link expires.
    /// - Throws: ``CommandFailure`` if the program has not done its work, or ``maximumCount`` runs have not ended.
    func tell(
        _ event: Event,
        user: String,
        link: String? = nil,
        expiry: UnixTime? = nil
    ) async throws {
        let message = Message(event: event, user: user, link: link, expires: expiry.map { "\($0)" })
        let line = try JSONLine(encoding: message).bytes
        let hasRoom = Self.count.withLockedValue { count in
            guard count < Self.maximumCount else { return false }
            count += 1
            return true
        }
        guard hasRoom else {
            throw CommandFailure(
                .unavailable,
                "\(program.file.quoted): \(Self.maximumCount) runs of it have not ended"
            )
        }
        defer { Self.count.withLockedValue { $0 -= 1 } }
        try await AccountFiles.blocking(on: Self.threads) { [program] in try program.run(telling: line) }
    }
}
