// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import Glibc

/// Prompts for a passphrase at the controlling terminal of this process, even if its standard streams are
/// redirected.
package enum TerminalPrompt {
    private static let path = "/dev/tty"

    /// Whether the process has a controlling terminal.
    package static var isPossible: Bool { (try? open()) != nil }

    /// Shows the prompt, and waits until the token's deadline.
    ///
    /// - Returns: The typed text, without its line feed.
    static func ask(_ prompt: String, _ token: CancellationToken) throws(KeychainError) -> SecretBytes {
        let terminal = try open()
        let hidden = HiddenPrompt(input: terminal.number, output: terminal.number)
        let answer = try hidden.ask(prompt, token)
        return try convertingMemory(answer.withoutTrailingNewline())
    }

    private static func open() throws(KeychainError) -> Descriptor {
        let number = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard number >= 0 else {
            throw .noPassphrase("cannot prompt for a passphrase: there is no terminal")
        }
        return Descriptor(number)
    }
}
