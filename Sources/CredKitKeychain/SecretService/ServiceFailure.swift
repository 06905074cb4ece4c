// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A failed D-Bus call: the error for people, and the D-Bus name of the error.
struct ServiceFailure: Error {
    /// The name of the D-Bus error; `nil` if the call failed on this side.
    var name: String?
    var error: KeychainError
    /// The service's own text, by which KWallet's errors are told apart: it has one name for several of them.
    private var text = ""

    /// Whether the object does not exist, or no longer exists.
    var isMissing: Bool {
        [
            "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownObject",
            "org.freedesktop.DBus.Error.UnknownMethod",
        ].contains(name)
    }

    /// Whether the session does not exist, or no longer exists.
    var isSessionLost: Bool {
        name == "org.freedesktop.Secret.Error.NoSession"
            // KWallet's answer.
            || name == "org.qtproject.QtDBus.Error.InvalidObjectPath" && text.contains("find session")
    }

    /// Whether the service refused the public key of a new session.
    var isPublicKeyRefused: Bool {
        name == "org.freedesktop.DBus.Error.InvalidArgs" && text.contains("public key")
    }

    var isLocked: Bool { name == "org.freedesktop.Secret.Error.IsLocked" }

    /// Translates a D-Bus error. The service's text is included; it names objects and reasons, and contains no secrets.
    init(name: String, text: String) {
        self.name = name
        let text = String(text.prefix(500))
        self.text = text
        error =
            switch name {
            case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
                .noService("no program on the D-Bus session offers the Secret Service. " + Self.advice)
            case _ where name.hasPrefix("org.freedesktop.DBus.Error.Spawn"):
                .noService("the Secret Service cannot be started: \(text). " + Self.advice)
            case "org.freedesktop.Secret.Error.IsLocked":
                .locked(Self.lockedAdvice)
            case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed":
                .denied(
                    "the Secret Service or the bus denied access: \(text). In a sandbox, allow the program to talk to "
                        + "org.freedesktop.secrets"
                )
            case "org.freedesktop.DBus.Error.NoReply":
                .failed(
                    "the Secret Service ended before it answered. Retry; if that does not help, look for its crash"
                )
            case "org.freedesktop.DBus.Error.Timeout", "org.freedesktop.DBus.Error.TimedOut":
                .timedOut("the call on the D-Bus session timed out: \(text)")
            // KWallet's answer to the first call.
            case _ where text.contains("libqca-ossl"):
                .noService(
                    "KWallet cannot encrypt secrets in transit: install the OpenSSL plugin of QCA (on Debian: apt-get "
                        + "install libqca-qt5-2-plugins), and log in again"
                )
            default: .failed("the Secret Service failed: \(text) (\(name))")
            }
    }

    /// Creates a failure on this side.
    init(_ error: KeychainError) { self.error = error }

    static let advice =
        "Install and start one (gnome-keyring, KWallet 5.97 or later, KeePassXC), or use the vault "
        + "(credkit keychain --backend vault)"

    static func advice(forQuestion question: String) -> String {
        "the keyring asks for \(question), and prompts are not allowed. Allow desktop prompts, or let the keyring not ask "
            + "(in KeePassXC: Settings, Secret Service Integration)"
    }

    static let lockedAdvice =
        "the keyring is locked, and prompts are not allowed. Unlock it at the desktop, or allow desktop prompts"
}
