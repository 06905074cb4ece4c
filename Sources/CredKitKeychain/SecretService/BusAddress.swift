// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// Where this user's session bus is.
///
/// A bus is never started: the one that `autolaunch:` starts serves nobody else, and nobody ends it.
struct BusAddress: Sendable, Hashable {
    /// The address, in the form that the D-Bus specification gives it.
    var text: String
    /// What said so.
    var source: SecretServiceStatus.BusSource

    /// The address that the environment gives.
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
                    "DBUS_SESSION_BUS_ADDRESS is '\(address)', and no bus is started here. \(advice)"
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

    /// A value in an address: letters, digits and `-_/.\*` as they are, other bytes as `%xx`.
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
