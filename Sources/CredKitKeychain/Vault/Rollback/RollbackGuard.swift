// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import Glibc

/// Compares a vault with what this account has seen: under its identifier, and at its path.
///
/// | at the path | of the vault | the file | answer |
/// |---|---|---|---|
/// | – | – | none | no vault |
/// | – | – | a vault | accepted and remembered: the first use, a lost state folder, a copied home folder |
/// | – | a mark | this state, or a newer one | accepted: the vault was moved |
/// | this vault | – | any state | accepted: the mark was lost |
/// | this vault | a mark | this state, or a newer one | accepted: another machine has saved it |
/// | this vault or – | a mark | an older state, or another one of this generation | `rollbackDetected` |
/// | a vault | – | none | `vaultMissing` |
/// | a vault | – | another vault, known or not | `vaultReplaced` |
///
/// The folder of the vault may be a synchronized or shared one; an attacker who can also write to the state folder can
/// roll back both.
struct RollbackGuard: Sendable {
    /// The folder that stores what was seen: `VaultConfiguration.resolvedStateDirectory`, by default
    /// `~/.local/state/credkit/vaults`.
    let directory: String
    /// The path of the vault.
    let path: String

    /// Creates a guard. Different spellings of a path, such as `/a//b` and `/a/./b`, are one path. Symbolic links are
    /// not resolved: an exchanged link must be noticed.
    init(directory: String, path: String) {
        self.directory = directory
        let names = path.utf8.split(separator: UInt8(ascii: "/"))
            .filter { !$0.elementsEqual(".".utf8) }
        self.path = "/" + names.map { String(Substring($0)) }.joined(separator: "/")
    }

    /// Checks that what was seen can be read, and that no other user can change it. Otherwise nothing would be known, as
    /// at the first use.
    ///
    /// - Parameter header: The vault's header.
    /// - Returns: The folder that stores what was seen, if there is one. The other functions open it again unless it is
    ///   passed: each folder of its path is looked at, which takes a tenth of the time of a save.
    /// - Throws: ``KeychainError``.
    func check(_ header: VaultHeader) throws(KeychainError) -> PrivateDirectory? {
        do throws(SystemError) {
            let folder = try PrivateDirectory(directory, isCreated: false)
            for name in [PathRecord.name(path), RollbackMark.name(header.identifier)]
            where folder.contains(name) {
                _ = try folder.open(name, O_RDONLY)
            }
            return folder
        } catch {
            guard error.kind == .notFound else { throw KeychainError(error) }
            return nil
        }
    }

    /// Opens the folder that stores what was seen, if there is one that no other user can change.
    func opened(isCreated: Bool = false) -> PrivateDirectory? {
        try? PrivateDirectory(directory, isCreated: isCreated)
    }

    /// Returns the newest state of a vault that was seen, if there is one.
    func mark(of header: VaultHeader, in folder: PrivateDirectory? = nil) -> RollbackMark? {
        (folder ?? opened()).flatMap { RollbackMark.read(vaultIdentifier: header.identifier, in: $0) }
    }

    /// The identifier of the vault that was seen at the path, if there is one.
    var identifierSeenHere: [UInt8]? { identifierSeen(in: nil) }

    private func identifierSeen(in folder: PrivateDirectory?) -> [UInt8]? {
        (folder ?? opened()).flatMap { PathRecord.read(path: path, in: $0)?.vaultIdentifier }
    }

    /// Returns whether a copy is older than the newest one seen, or another one of the same generation.
    func isOlder(_ header: VaultHeader, _ headerBytes: [UInt8], in folder: PrivateDirectory? = nil) -> Bool {
        guard let mark = mark(of: header, in: folder) else { return false }
        let own = RollbackMark(generation: header.generation, headerBytes: headerBytes)
        return own.generation < mark.generation || (own.generation == mark.generation && own != mark)
    }

    /// Returns whether a vault is an older copy, or another one than was seen at the path.
    func isChanged(_ vault: OpenVault) -> Bool {
        isReplaced(vault.header) || isOlder(vault.header, vault.headerBytes)
    }

    /// Returns whether another vault was seen at the path.
    func isReplaced(_ header: VaultHeader, in folder: PrivateDirectory? = nil) -> Bool {
        identifierSeen(in: folder).map { $0 != header.identifier } ?? false
    }

    /// Remembers a saved vault, if the folder can be written to.
    func noteSave(of vault: OpenVault, in folder: PrivateDirectory? = nil) {
        guard let folder = folder ?? opened(isCreated: true) else { return }
        RollbackMark(generation: vault.header.generation, headerBytes: vault.headerBytes)
            .raise(vaultIdentifier: vault.header.identifier, in: folder)
        notePath(of: vault, in: folder)
    }

    /// Remembers a vault that another account or machine has saved. Readers do not wait for the vault's lock: who holds it
    /// could otherwise have two older copies take turns.
    func noteReading(of vault: OpenVault, from file: VaultFile, in folder: PrivateDirectory?) {
        if (mark(of: vault.header, in: folder)?.generation ?? 0) < vault.header.generation {
            // If a power failure took back a save that the mark knows, that would look like a rollback.
            file.synchronize()
            noteSave(of: vault)
        } else if identifierSeen(in: folder) == nil, let folder = folder ?? opened(isCreated: true) {
            notePath(of: vault, in: folder)
        }
    }

    private func notePath(of vault: OpenVault, in folder: PrivateDirectory) {
        let record = PathRecord(vaultIdentifier: vault.header.identifier)
        if record != PathRecord.read(path: path, in: folder) { record.write(path: path, in: folder) }
    }

    /// Forgets the vault that was seen at the path, not its newest state.
    func forgetPath() {
        if let folder = opened() { PathRecord.remove(path: path, in: folder) }
    }
}

// Alarms.
extension RollbackGuard {
    private static let acceptance = "'credkit keychain doctor --accept-current' accepts it"

    /// The alarm for a vault's header, or for a missing vault; `nil` if it is as expected.
    func alarm(for header: VaultHeader?, _ headerBytes: [UInt8]?) -> KeychainError? {
        guard let header, let headerBytes else { return missing }
        if isReplaced(header) { return replaced(header) }
        return isOlder(header, headerBytes) ? olderCopy(header) : nil
    }

    /// The alarm for an older copy.
    func olderCopy(_ header: VaultHeader) -> KeychainError {
        let seen = mark(of: header)?.generation ?? 0
        let what =
            seen == header.generation
            ? "another copy of generation \(seen)"
            : "an older copy: generation \(header.generation), not \(seen)"
        return .rollbackDetected(
            "the vault \(path) is \(what), which this account has seen. It was rolled back, or a file system lost a "
                + "save: items that were stored since are missing. If this is intended, \(Self.acceptance)"
        )
    }

    /// The alarm for another vault in the place of the one that was seen.
    func replaced(_ header: VaultHeader) -> KeychainError {
        let seen = Hex.encode(identifierSeenHere ?? [])
        return .vaultReplaced(
            "the vault \(path) is not the one that this account has used here: its id is "
                + "\(Hex.encode(header.identifier)), not \(seen). Another file was put in its place. If this is "
                + "intended, \(Self.acceptance)"
        )
    }

    /// The alarm for a missing vault, if one was seen.
    var missing: KeychainError? {
        guard let identifier = identifierSeenHere else { return nil }
        return .vaultMissing(
            "the vault \(path), which this account has used, is missing: its id is \(Hex.encode(identifier)). Restore "
                + "it from a copy. If it was deleted on purpose, \(Self.acceptance), and storing an item creates a "
                + "new one"
        )
    }
}
