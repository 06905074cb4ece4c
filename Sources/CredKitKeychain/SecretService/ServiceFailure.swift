// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A call on the bus that failed: what it means for people, and what the bus calls it.
struct ServiceFailure: Error {
    /// The name of the D-Bus error; `nil` if the call failed on this side.
    var name: String?
    var error: KeychainError

    /// The object is not there, or no more.
    var isMissing: Bool {
        [
            "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownObject",
            "org.freedesktop.DBus.Error.UnknownMethod",
        ].contains(name)
    }

    /// The session is not there, or no more.
    var isSessionLost: Bool { name == "org.freedesktop.Secret.Error.NoSession" }

    var isLocked: Bool { name == "org.freedesktop.Secret.Error.IsLocked" }

    /// What D-Bus errors mean. Texts of the service are passed on; they name objects and reasons, and no secrets.
    init(name: String, text: String) {
        self.name = name
        let text = String(text.prefix(500))
        error =
            switch name {
            case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
                .noService("nothing on the D-Bus session offers the Secret Service. " + Self.advice)
            case _ where name.hasPrefix("org.freedesktop.DBus.Error.Spawn"):
                .noService("the Secret Service cannot be started: \(text). " + Self.advice)
            case "org.freedesktop.Secret.Error.IsLocked":
                .locked(Self.lockedAdvice)
            case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed":
                .denied(
                    "the Secret Service or the bus refuses: \(text). In a sandbox, allow the program to talk to "
                        + "org.freedesktop.secrets"
                )
            case "org.freedesktop.DBus.Error.NoReply":
                .failed(
                    "the Secret Service ended before it answered. Try again; if that does not help, look for its crash"
                )
            case "org.freedesktop.DBus.Error.Timeout", "org.freedesktop.DBus.Error.TimedOut":
                .timedOut("the D-Bus session had no answer in time: \(text)")
            default: .failed("the Secret Service failed: \(text) (\(name))")
            }
    }

    /// A failure on this side.
    init(_ error: KeychainError) { self.error = error }

    static let advice =
        "Install and start one (gnome-keyring, KWallet 5.97 or later, KeePassXC), or use the vault "
        + "(credkit keychain --backend vault)"

    static let lockedAdvice =
        "the keyring is locked, and nobody is to be asked. Unlock it at the desktop, or allow prompts of the desktop"
}
