// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKitSystem
package import CredKit
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

extension HiddenPrompt {
    /// Asks for a secret, which is read into guarded memory.
    ///
    /// - Parameters:
    ///   - prompt: The question.
    ///   - token: Until when to wait; as long as it takes if `nil`.
    /// - Returns: The line with its line feed.
    /// - Throws: ``KeychainError/inputOutput`` when nothing was typed or the terminal fails,
    ///   ``KeychainError/timedOut``, ``KeychainError/cancelled``.
    package func ask(_ prompt: String, _ token: CancellationToken? = nil) throws(KeychainError) -> SecretBytes
    {
        let answer = try converting(ask(prompt, until: { token?.failure != nil }, read: Self.readLine))
        if let answer { return try answer.get() }
        try token?.check()
        throw .cancelled
    }

    /// Reads what there is: a line, or what Ctrl-D has ended.
    private static func readLine(
        _ input: Int32
    ) -> (line: Result<SecretBytes, KeychainError>, endsWithLineFeed: Bool?) {
        var errorNumber: Int32 = 0
        let line: SecretBytes
        do throws(SecretMemoryError) {
            // A terminal returns at most 4,096 bytes of a line.
            line = try SecretBytes(capacity: 4096) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                    let result = unsafe read(input, buffer.baseAddress, buffer.count)
                    if result < 0 { errorNumber = errno }
                    count = max(0, result)
                }
            }
        } catch {
            return (.failure(.outOfMemory), nil)
        }
        guard errorNumber == 0 else {
            return (.failure(.system(errorNumber, "cannot read from the terminal")), nil)
        }
        guard !line.isEmpty else { return (.failure(.inputOutput("nothing was typed: end of input")), false) }
        return (.success(line), line.withSecretBytes { $0[$0.count - 1] == UInt8(ascii: "\n") })
    }
}
