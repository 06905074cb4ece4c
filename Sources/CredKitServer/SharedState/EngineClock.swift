// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// How far the engine's clock is ahead of this server's, measured with each reply.
///
/// The engine forgets what was used before its present history began, so it accepts only proofs whose challenge is younger
/// than that. The age of a challenge is known to this server by its own clock, and other servers, whose clocks differ as well,
/// may have accepted a proof for it. The age is therefore increased by what this clock is behind, and by what others may be
/// ahead. A decision counts only if the age was increased enough by what its own reply shows.
struct EngineClock: Sendable {
    /// The engine's time minus this server's, at least and at most.
    struct Offset: Sendable, Hashable {
        let least: Duration
        let most: Duration
    }

    /// The time of this server's clock since 1970.
    private let read: @Sendable () -> Duration
    let permittedDifference: Duration
    private let last = Lock<Offset?>(nil)

    init(
        permittedDifference: Duration,
        read: @escaping @Sendable () -> Duration = { .microseconds(SystemClock.microseconds()) }
    ) {
        self.permittedDifference = permittedDifference
        self.read = read
    }

    /// The offset that the last reply showed; `nil` before the first.
    var lastOffset: Offset? { last.withLock { $0 } }

    /// The time of this server's clock. Read it before a command is sent.
    var now: Duration { read() }

    /// Returns the age that a challenge may have by the engine's clock, as far as the last reply tells.
    func increased(_ age: Duration) -> Duration { increased(age, by: lastOffset) }

    /// Takes the engine's time from a reply, and returns the age that the challenge may have as this reply shows.
    ///
    /// - Parameters:
    ///   - age: The age by this server's clock.
    ///   - engineTime: The engine's time since 1970.
    ///   - sent: The time of this server's clock before the command was sent.
    /// - Returns: The age by the engine's clock, at most.
    /// - Throws: ``SharedStateError/Code/clocksDiffer`` unless the difference is certainly permitted.
    func increased(_ age: Duration, engineTime: Duration, sent: Duration) throws(SharedStateError) -> Duration
    {
        increased(age, by: try measure(engineTime: engineTime, sent: sent))
    }

    /// Returns how long the engine must remember a use. A server whose clock is behind considers a proof valid for longer than
    /// the server that accepted it.
    func retention(of lifetime: Duration) -> Duration { lifetime.clamped + permittedDifference * 2 }

    /// Whether the engine should refuse to begin a history now: by how much its clock may differ, a slow command included.
    func tolerance(within timeLimit: Duration) -> Duration { permittedDifference + timeLimit }

    /// Takes the engine's time from a reply.
    ///
    /// - Throws: ``SharedStateError/Code/clocksDiffer`` unless the difference is certainly permitted.
    @discardableResult
    func measure(engineTime: Duration, sent: Duration) throws(SharedStateError) -> Offset {
        let received = read()
        // The clock may have been set meanwhile, in either direction.
        let offset = Offset(
            least: engineTime.clamped - max(sent, received),
            most: engineTime.clamped - min(sent, received)
        )
        last.withLock { $0 = offset }
        guard offset.most <= permittedDifference, offset.least >= .zero - permittedDifference else {
            throw SharedStateError(
                .clocksDiffer,
                message: "the engine's clock differs from this server's by \(Self.text(offset)), and "
                    + "\(permittedDifference) are permitted: synchronize the clocks"
            )
        }
        return offset
    }

    private func increased(_ age: Duration, by offset: Offset?) -> Duration {
        age.clamped + permittedDifference + max(offset?.most ?? .zero, .zero)
    }

    private static func text(_ offset: Offset) -> String {
        let farther = max(offset.most, .zero - offset.least)
        return "up to \(farther.clamped.secondsRoundedUp) seconds"
    }
}
