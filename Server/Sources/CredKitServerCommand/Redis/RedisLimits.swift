// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOCore

/// How long and for how much a connection to Redis waits.
struct RedisLimits: Sendable {
    /// The commands of one connection that wait for a reply, abandoned ones included.
    var waitingCommands = 16_384
    /// The bytes of these commands.
    var waitingByteCount = 16 << 20
    /// The age of the oldest abandoned command at which a connection is closed as half open.
    var abandonedAge = TimeAmount.seconds(1)
    /// The time without replies after which an idle connection is probed.
    var idleTime = TimeAmount.seconds(2)
    /// The time within which to establish a TCP connection.
    var connectTime = TimeAmount.seconds(1)
    /// The time for the TLS handshake, the login, and the check of the role.
    var greetingTime = TimeAmount.seconds(1)
    /// The delays between attempts to connect. They double from the first to the second.
    var retryDelays = TimeAmount.milliseconds(20)...TimeAmount.milliseconds(500)
    /// The least delay after an attempt that more attempts do not mend, such as a wrong password.
    var refusedDelay = TimeAmount.milliseconds(500)
    /// The ceilings of a reply.
    var reply = RESPParser.Limits()
}
