// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What the stores of ``MechanismUse`` in both engines have in common.
enum MechanismUseStorage {
    /// The time after which an account that has not logged in by a mechanism is forgotten.
    static let retention = Duration.seconds(400 * 86_400)
    static let permittedRetentions = Duration.seconds(86_400) ... .seconds(4000 * 86_400)
    /// The accounts of one step of reading.
    static let pageSize: Int64 = 500

    /// The seconds of a time, in a range that numbers of Lua and microseconds hold.
    static func seconds(_ time: UnixTime) -> Int64 { min(max(time.seconds, 0), 1 << 40) }

    /// Returns names in the order of their texts, each once.
    static func sorted(_ names: Set<[UInt8]>) -> [String] {
        names.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }
}
