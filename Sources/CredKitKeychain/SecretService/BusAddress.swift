// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
                return BusAddress(text: "unix:path=" + escaped(path), source: .runtimeDirectory)
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

    /// Escapes a value of an address: letters, digits and `-_/.\*` are unchanged, other bytes become `%xx`.
    private static func escaped(_ value: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "/"),
                UInt8(ascii: "."), UInt8(ascii: "\\"), UInt8(ascii: "*"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
