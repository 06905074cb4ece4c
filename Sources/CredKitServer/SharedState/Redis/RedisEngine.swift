// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A Redis server, as the stores in it use it: names, time limits, clocks and strict replies.
struct RedisEngine: Sendable {
    /// What a script returned after the engine's time and a word.
    struct Reply: Sendable {
        /// The time of this server's clock before the script was sent.
        let sent: Duration
        /// The engine's time since 1970.
        let time: Duration
        let word: String
        let values: [RedisValue]

        /// Returns the number at a place.
        func integer(_ index: Int) throws(SharedStateError) -> Int64 {
            guard values.indices.contains(index), case .integer(let number) = values[index] else {
                throw SharedStateError(.malformedAnswer)
            }
            return number
        }

        /// Returns the bytes at a place.
        func bytes(_ index: Int) throws(SharedStateError) -> [UInt8] {
            guard values.indices.contains(index), case .bytes(let bytes) = values[index] else {
                throw SharedStateError(.malformedAnswer)
            }
            return bytes
        }

        /// The error of a word that the script does not return.
        var isUnexpected: SharedStateError { SharedStateError(.malformedAnswer) }
    }

    let runner: any RedisScriptRunner
    let names: StoredNames
    let clock: EngineClock
    var timeLimit: Duration
    /// What all keys begin with. The braces make a cluster store all of them together.
    let prefix: String

    init(
        _ runner: some RedisScriptRunner,
        _ configuration: SharedStateConfiguration,
        clock: EngineClock? = nil
    ) {
        self.runner = runner
        names = StoredNames(configuration)
        self.clock = clock ?? EngineClock(permittedDifference: configuration.permittedClockDifference)
        timeLimit = configuration.timeLimit
        prefix = "{\(configuration.namespace)}:"
    }

    /// Returns the name under which something is stored.
    func key(_ kind: StoredNames.Kind, _ key: StoreKey) -> String {
        text(kind, names.name(kind, key))
    }

    /// Returns the name under which something of a user is stored.
    func key(_ kind: StoredNames.Kind, user: String) -> String { text(kind, names.name(kind, user)) }

    private func text(_ kind: StoredNames.Kind, _ name: [UInt8]) -> String {
        "\(prefix)\(kind.rawValue):\(Base64.urlSafe.unpadded.encode(name))"
    }

    /// Runs a script, and measures the difference of the clocks.
    func run(
        _ script: RedisScript,
        keys: [String],
        _ arguments: [[UInt8]] = []
    ) async throws -> Reply {
        let sent = clock.now
        let value = try await EngineBudget.step(upTo: timeLimit) { limit in
            try await runner.run(script, keys: keys, arguments: arguments, within: limit)
        }
        guard case .array(let values) = value, values.count >= 2,
            case .integer(let time) = values[0], case .bytes(let word) = values[1],
            let word = String(validating: word, as: UTF8.self)
        else { throw SharedStateError(.malformedAnswer) }
        let reply = Reply(
            sent: sent,
            time: .microseconds(time),
            word: word,
            values: Array(values.dropFirst(2))
        )
        try clock.measure(engineTime: reply.time, sent: sent)
        return reply
    }
}

extension [UInt8] {
    /// The digits of a number, as scripts take it.
    init(argument number: some BinaryInteger) { self = Array("\(number)".utf8) }

    /// The whole milliseconds of a duration, rounded up, at least 1.
    init(milliseconds duration: Duration) {
        self.init(argument: Swift.max(1, (duration.clamped.microseconds + 999) / 1000))
    }

    /// The whole microseconds of a duration.
    init(microseconds duration: Duration) { self.init(argument: duration.clamped.microseconds) }
}
