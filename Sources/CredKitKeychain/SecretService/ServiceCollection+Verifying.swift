// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKit

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

    private func verifyWithAnItem() throws(KeychainError) {
        let name = "CredKit's check of a session"
        let probe: Credential
        do throws(SecretMemoryError) {
            let key = CredentialKey(service: "", account: nil)
            probe = Credential(item: CredentialItem(key: key), secret: try SecretBytes(name))
        } catch {
            throw .outOfMemory
        }
        let place = try create(probe, label: name, attributes: ["purpose": name])
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
}
#endif
