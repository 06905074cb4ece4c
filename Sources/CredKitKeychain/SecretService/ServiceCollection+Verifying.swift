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
        if daemon != .gnomeKeyring, daemon != .keePassXC {
            try verifyWithAnItem()
            deleteLeftProbes()
        }
        session.setVerified()
    }

    private static let probeName = "CredKit's check of a session"

    private func verifyWithAnItem() throws(KeychainError) {
        let name = Self.probeName
        let probe: Credential
        do throws(SecretMemoryError) {
            let key = CredentialKey(service: "", account: nil)
            probe = Credential(item: CredentialItem(key: key), secret: try SecretBytes(name))
        } catch {
            throw .outOfMemory
        }
        let attributes = ["purpose": name, "process": "\(getpid()) \(Self.namespace)"]
        let place = try create(probe, label: name, attributes: attributes)
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

    /// The namespace in which the number of this process is valid; zero if it is not known.
    private static var namespace: UInt64 {
        var information = stat()
        return unsafe stat("/proc/self/ns/pid", &information) == 0 ? UInt64(information.st_ino) : 0
    }

    /// Deletes the items of checks whose processes were killed, as far as the service permits it.
    private func deleteLeftProbes() {
        let namespace = Self.namespace
        guard namespace != 0 else { return }
        do throws(KeychainError) {
            for item in try items(with: ["purpose": Self.probeName]) {
                let attributes = item.key.attributes
                let owner = attributes["process"]?.split(separator: " ") ?? []
                guard attributes["purpose"] == Self.probeName, let location = item.location,
                    owner.count == 2, UInt64(owner[1]) == namespace, let process = pid_t(owner[0]),
                    process > 0,
                    kill(process, 0) == -1, errno == ESRCH
                else { continue }
                _ = try delete(at: location)
            }
        } catch {
            // What was asked for does not depend on it, and another prompt would be for nothing.
        }
    }
}
#endif
