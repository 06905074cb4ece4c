// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem

/// A program of the administrator that is told what has happened. It gets a line on its standard input, and no argument: those are
/// visible to all users of the machine.
public struct NotifiedProgram: Sendable {
    /// How long it may run.
    public static let timeLimit = Duration.seconds(10)

    /// The path.
    public let file: FileArgument

    /// Names a program.
    ///
    /// - Parameter file: The path. Programs are not looked up in `PATH`.
    public init(_ file: FileArgument) { self.file = file }

    /// Runs the program, and waits for its end. Blocks.
    ///
    /// - Parameter line: What it is told, in at most 4096 bytes.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/unavailable`` if it cannot be started, takes longer than ``timeLimit``, or does
    ///   not exit with 0; with ``ExitStatus/refused`` if others can change it.
    public func run(telling line: [UInt8]) throws(CommandFailure) {
        try InputFile.refuseIfOthersCanChange(file)
        let ending: Int32?
        do throws(SystemError) {
            ending = try FedProgram.run(
                file.display,
                input: line,
                within: Self.timeLimit,
                without: "CREDKIT_PASSPHRASE",
                "cannot run \(file.quoted)"
            )
        } catch {
            throw CommandFailure(.unavailable, error.description)
        }
        guard let status = ending else {
            throw CommandFailure(
                .unavailable,
                "\(file.quoted): it was killed, since it did not end within \(Self.timeLimit.components.seconds) seconds"
            )
        }
        guard status != 0 else { return }
        // As wait(2) has it: the signal in the lowest seven bits, otherwise the exit status above them.
        let signal = status & 0x7F
        throw CommandFailure(
            .unavailable,
            "\(file.quoted): "
                + (signal == 0 ? "it exited with \(status >> 8 & 0xFF)" : "signal \(signal) ended it")
        )
    }
}
