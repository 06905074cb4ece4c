// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
public import CredKitKeychain
package import CredKitSystem

/// The exit statuses of failures of both commands, which scripts may rely on; success is 0, which no failure can have. Those
/// from 64 on are of `sysexits.h`.
///
/// The status for each error of the core and the keychain stands below, for errors that only `credkit` meets in
/// `ExitStatus+Command.swift` of the command. A ``CommandFailure`` names its status where it is thrown: commands throw
/// one with ``no`` for a mismatch or a missing item.
public enum ExitStatus: Int32, CaseIterable, Sendable {
    /// No: a check failed, or a file could not be read where the corresponding well-known tool exits with 1.
    case no = 1
    /// The command line is invalid. Used for errors found late; what the argument parser finds ends with the parser's own
    /// code, which is the same: see ``CommandExit``.
    case usage = 64
    /// The data is malformed or over a limit.
    case malformed = 65
    /// A service is unavailable or does not answer.
    case unavailable = 69
    /// A file cannot be created.
    case cannotCreate = 73
    /// Input or output failed.
    case inputOutput = 74
    /// Try again later: there is not enough memory, or another program holds a lock.
    case tryAgain = 75
    /// Refused: a wrong passphrase, a locked keyring, a rejected login, a file that others can change.
    case refused = 77
    /// `credkit run`: the command cannot be executed, as of env(1).
    case notExecutable = 126
    /// `credkit run`: there is no such command, as of env(1).
    case noSuchCommand = 127

    /// What the status means, in lines for people. docs/command.md says it in detail.
    private var meaning: String {
        switch self {
        case .no: "no: a mismatch, an item that does not exist, a failed check"
        case .usage: "the command line is wrong"
        case .malformed: "the data is malformed, damaged or over a limit, or several items match"
        case .unavailable: "a service is not there: no session bus, no Secret Service, no answer"
        case .cannotCreate: "a file cannot be created, or an item exists already"
        case .inputOutput: "input or output failed, or the vault of --vault does not exist"
        case .tryAgain: "try again later: not enough memory, a lock, too many login attempts"
        case .refused:
            """
            refused: a wrong or missing passphrase, a locked keyring, a rejected login,
            an untrusted certificate
            """
        case .notExecutable: "the command of 'credkit run' cannot be executed"
        case .noSuchCommand: "the command of 'credkit run' does not exist"
        }
    }

    /// All statuses with their meanings, as `credkit help exit-codes` prints them.
    public static var table: String {
        let statuses = [(0, "done, yes, match")] + allCases.map { (Int($0.rawValue), $0.meaning) }
        return statuses.map { status, meaning in
            let number = String(status)
            let lines = meaning.split(separator: "\n").joined(separator: "\n    ")
            return String(repeating: " ", count: max(0, 2 - number.utf8.count)) + number + "  " + lines
        }.joined(separator: "\n")
    }
}

/// The status for each error of the libraries.
extension ExitStatus {
    /// The status for an error of the keychain.
    public init(_ error: KeychainError) {
        self =
            switch error.code {
            // Not of `keychain get` and `keychain delete`, which throw `missingItem`.
            case .notFound: .no
            case .damaged, .rollbackDetected, .vaultReplaced, .vaultMissing, .invalid, .overLimit,
                .unsupported, .ambiguous:
                .malformed
            case .noBus, .noService, .noDefaultCollection, .timedOut, .failed: .unavailable
            case .alreadyExists: .cannotCreate
            case .busy, .outOfMemory: .tryAgain
            case .locked, .denied, .dismissed, .noPassphrase, .wrongPassphrase, .insecureFile: .refused
            default: .inputOutput
            }
    }

    /// The status for an error with a password or a hash.
    public init(_ error: PasswordError) {
        self =
            switch error.code {
            case .outOfMemory, .busy, .changedBlocklist: .tryAgain
            case .unreadableBlocklist: .inputOutput
            case .unwritableFilter: .cannotCreate
            // Not ``refused``: it is the stored hash that the policy does not accept, and a hash is data.
            case .malformed, .unrecognized, .unsupported, .overLimit, .refused: .malformed
            default: .malformed
            }
    }

    /// The status for an error with a key of one-time codes.
    public init(_ error: OneTimeCodeError) {
        self =
            switch error.code {
            case .outOfMemory: .tryAgain
            default: .malformed
            }
    }

    /// The status for guarded memory that cannot be had.
    public init(_ error: SecretMemoryError) { self = .tryAgain }

    /// The status for a file that cannot be created.
    package init(creating error: SystemError) {
        self =
            switch error.kind {
            case .insecureFile: .refused
            default: .cannotCreate
            }
    }
}
