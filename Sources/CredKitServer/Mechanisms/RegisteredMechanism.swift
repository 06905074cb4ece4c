// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A mechanism of a service, with the guard of what it accepts once.
struct RegisteredMechanism: Sendable {
    let name: String
    let mechanism: any ServerLoginMechanism
    /// The mechanisms share a store, but not a guard: the times of each of them may be on a different clock.
    let replays: ReplayGuard

    /// Calls the mechanism, and wraps the errors that it throws.
    func wrapping<Value>(
        _ operation: () async throws -> Value
    ) async throws(LoginServerError) -> Value {
        try await LoginServerError.wrapping(
            "the login mechanism '\(name)' failed",
            code: .mechanismFailed,
            operation
        )
    }

    /// Returns the mechanisms of a service. Throws if a name is invalid or occurs twice.
    static func list(
        _ mechanisms: [any ServerLoginMechanism],
        storage: LoginStorage,
        startedAt start: UnixTime,
        clock: some Clock<Duration>
    ) throws(LoginServerError) -> [RegisteredMechanism] {
        var list: [RegisteredMechanism] = []
        for mechanism in mechanisms {
            let name = mechanism.name
            let isPrintable = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard isPrintable, (1...64).contains(name.utf8.count) else {
                throw LoginServerError(
                    .invalidConfiguration,
                    message: "the name of a login mechanism must be 1 to 64 printable ASCII characters"
                )
            }
            guard list.named(name) == nil else {
                throw LoginServerError(
                    .invalidConfiguration,
                    message: "two login mechanisms have the name '\(name)'"
                )
            }
            let replays = ReplayGuard(
                store: storage.replays,
                startedAt: start,
                utcOffset: (mechanism as? any LocalTimeMechanism)?.utcOffset(start) ?? .zero,
                clock: clock
            )
            list.append(
                RegisteredMechanism(
                    name: name,
                    mechanism: mechanism.connected(to: storage),
                    replays: replays
                )
            )
        }
        return list
    }
}

/// A mechanism whose ``SingleUse`` values have times on a clock other than UTC.
protocol LocalTimeMechanism: ServerLoginMechanism {
    /// The offset of this clock from UTC at a time.
    var utcOffset: @Sendable (UnixTime) -> Duration { get }
}

extension [RegisteredMechanism] {
    /// Returns the mechanism whose name has the same bytes.
    func named(_ name: String) -> RegisteredMechanism? {
        first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}
