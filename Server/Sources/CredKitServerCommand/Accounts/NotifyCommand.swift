// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

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
    /// - Throws: ``CommandFailure`` if the program has not done its work.
    func tell(
        _ event: Event,
        user: String,
        link: String? = nil,
        expiry: UnixTime? = nil
    ) async throws {
        let message = Message(event: event, user: user, link: link, expires: expiry.map { "\($0)" })
        let line = try JSONLine(encoding: message).bytes
        try await AccountFiles.blocking { [program] in try program.run(telling: line) }
    }
}
