// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Detects that a vault was rolled back to an older copy than this account has seen.
struct RollbackGuard: Sendable {
    /// The folder that stores what was seen.
    let directory: String

    /// Returns the newest state of a vault that was seen, if there is one.
    func mark(of header: VaultHeader) -> RollbackMark? {
        RollbackMark.read(vaultIdentifier: header.identifier, in: directory)
    }

    /// Returns whether a copy is older than the newest one seen, or another one of the same generation.
    func isOlder(_ header: VaultHeader, _ headerBytes: [UInt8]) -> Bool {
        guard let mark = mark(of: header) else { return false }
        let own = RollbackMark(generation: header.generation, headerBytes: headerBytes)
        return own.generation < mark.generation || (own.generation == mark.generation && own != mark)
    }

    /// Remembers a vault that this program has saved. Its lock must be held.
    func noteSave(of vault: OpenVault) {
        RollbackMark(generation: vault.header.generation, headerBytes: vault.headerBytes)
            .write(vaultIdentifier: vault.header.identifier, in: directory)
    }

    /// Remembers a vault that another account or machine has saved. Readers hold no lock: if another program is
    /// writing, that program updates the mark.
    func noteReading(of vault: OpenVault, in file: VaultFile) {
        func isNewer() -> Bool { (mark(of: vault.header)?.generation ?? 0) < vault.header.generation }
        guard isNewer() else { return }
        file.withLockIfFree {
            // Another program may have saved since.
            guard isNewer() else { return }
            noteSave(of: vault)
        }
    }
}
