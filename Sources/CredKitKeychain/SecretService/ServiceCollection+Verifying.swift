// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKit
internal import Glibc

extension ServiceCollection {
    /// Checks that the service has the same session key, before the first secret is stored in a session.
    ///
    /// With another key, it would store another secret without an error; see ``ServiceSession/isVerified``. A secret that
    /// is replaced would be lost. So an item of its own is created, read back and deleted. If the service does not return
    /// its secret, the session is given up, and the operation is repeated in another one.
    ///
    /// gnome-keyring and KeePassXC have the right key in each session. A program that is not recognized can be KWallet.
    func verifySession() throws(KeychainError) {
        let session = service.connection
        guard !session.isVerified else { return }
        let daemon = try service.daemon()
        if daemon != .gnomeKeyring, daemon != .keePassXC { try verifyWithAnItem() }
        session.setVerified()
    }

    private static let probeName = "CredKit's check of a session"

    private func verifyWithAnItem() throws(KeychainError) {
        try deleteLeftProbes()
        let name = Self.probeName
        let probe: Credential
        do throws(SecretMemoryError) {
            let key = CredentialKey(service: "", account: nil)
            probe = Credential(item: CredentialItem(key: key), secret: try SecretBytes(name))
        } catch {
            throw .outOfMemory
        }
        let place = try create(probe, label: name, attributes: ["purpose": name, "process": "\(getpid())"])
        var stored = probe.item
        stored.location = place
        let copy = Result { [stored] () throws(KeychainError) in try self.credential(of: stored) }
        do throws(KeychainError) {
            _ = try delete(at: place)
        } catch {
            // A service may require a prompt: the item is then kept, as its secret has no value.
            guard error == .locked else { throw error }
        }
        guard try copy.get()?.secret == probe.secret else {
            service.connection.loseSession()
            throw .failed(
                "the Secret Service does not return the secret of a new item; nothing else was stored"
            )
        }
    }

    /// Deletes the items of checks whose processes were killed.
    ///
    /// A process in another container may look as if it had ended; without its item, it repeats its check.
    private func deleteLeftProbes() throws(KeychainError) {
        for item in try items(with: ["purpose": Self.probeName]) {
            let attributes = item.key.attributes
            guard attributes["purpose"] == Self.probeName, let location = item.location else { continue }
            let process = attributes["process"].flatMap(pid_t.init)
            let hasEnded = process.map { $0 > 0 && kill($0, 0) == -1 && errno == ESRCH } ?? true
            guard hasEnded else { continue }
            do throws(KeychainError) {
                _ = try delete(at: location)
            } catch {
                // A service may require a prompt.
                guard error == .locked else { throw error }
            }
        }
    }
}
#endif
