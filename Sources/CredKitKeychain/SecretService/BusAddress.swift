// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import Glibc

/// The address of this user's session bus.
///
/// CredKit never starts a bus: a bus started by `autolaunch:` serves no other program, and nothing would stop it.
struct BusAddress: Sendable, Hashable {
    /// The address, in the format of the D-Bus specification.
    var text: String
    /// The source of the address.
    var source: SecretServiceStatus.BusSource

    /// Returns the address from the environment.
    static func find() throws(KeychainError) -> BusAddress {
        try find(
            address: Environment.value("DBUS_SESSION_BUS_ADDRESS"),
            runtimeDirectory: UserDirectories.runtime
        )
    }

    static func find(address: String?, runtimeDirectory: String?) throws(KeychainError) -> BusAddress {
        if let address {
            guard !address.split(separator: ";").contains(where: { $0.hasPrefix("autolaunch:") }) else {
                throw .noBus(
                    "DBUS_SESSION_BUS_ADDRESS is '\(address)', but CredKit does not start a bus. \(advice)"
                )
            }
            return BusAddress(text: address, source: .environment)
        }
        if let runtimeDirectory {
            let path = runtimeDirectory + "/bus"
            var information = stat()
            if unsafe stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFSOCK {
                return BusAddress(text: "unix:path=" + coding.encode(path.utf8), source: .runtimeDirectory)
            }
        }
        throw .noBus(
            "there is no D-Bus session: DBUS_SESSION_BUS_ADDRESS is not set and there is no $XDG_RUNTIME_DIR/bus. "
                + advice
        )
    }

    static let advice =
        "Run the program in a desktop session or under dbus-run-session, or use the vault, which needs none "
        + "(credkit keychain --backend vault)"

    /// A value of an address: letters, digits and `-_/.\*` are not escaped.
    private static let coding = PercentCoding(leaving: #"-_/.\*"#, isLowercase: true)
}
