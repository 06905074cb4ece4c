// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A client of a Redis server: the only thing that the stores in Redis need of it.
///
/// Every client that can send `EVAL` or `EVALSHA` is suitable. Send the latter first, and the former after the error
/// `NOSCRIPT`: that saves sending the text each time.
///
/// An implementation must guarantee:
/// - It sends a script once. Do not repeat one whose answer was lost: the server may have run it.
/// - It does not read from replicas.
/// - It throws when there is no answer in time.
public protocol RedisScriptRunner: Sendable {
    /// Runs a script.
    ///
    /// - Parameters:
    ///   - script: The script.
    ///   - keys: The keys, in ASCII. All contain the same hash tag, so that a cluster stores them together.
    ///   - arguments: The arguments, which may be any bytes.
    ///   - timeLimit: The time within which to return or to throw.
    /// - Returns: What the script returned.
    /// - Throws: Any error. An error that the server answered should be ``SharedStateError/init(redisError:)``, so that logs can
    ///   tell what it means.
    func run(
        _ script: RedisScript,
        keys: [String],
        arguments: [[UInt8]],
        within timeLimit: Duration
    ) async throws -> RedisValue
}
