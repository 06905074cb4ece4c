// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOConcurrencyHelpers
import NIOCore

/// Limits the open connections, in total and of each address. A connection that is opened over a limit takes the place of the
/// one that was without a request for the longest time.
final class ConnectionLimits: Sendable {
    private struct Connection {
        let address: String
        let channel: any Channel
        let presence: ClientPresence
    }

    /// The maximum number of connections.
    private static let total = 512
    /// The maximum number of connections of one address, which may be that of a school.
    private static let perAddress = 128

    private let proxies: TrustedProxies
    private let connections = NIOLockedValueBox<[ObjectIdentifier: Connection]>([:])

    /// - Parameter proxies: The proxies, for which only the total counts.
    init(_ proxies: TrustedProxies = TrustedProxies()) { self.proxies = proxies }

    /// Counts a connection until it is closed. Closes another one if there are too many, or this one if the server works for all
    /// others.
    func begin(_ channel: any Channel, of presence: ClientPresence) {
        let peer = channel.remoteAddress?.ipAddress ?? "unknown"
        let address = ClientAddress.rateLimitKey(for: peer)
        let limit = proxies.areTrusted(peer) ? Self.total : Self.perAddress
        let id = ObjectIdentifier(presence)
        let surplus: (any Channel)? = connections.withLockedValue { connections in
            connections[id] = Connection(address: address, channel: channel, presence: presence)
            let isFull = connections.count > Self.total
            let present = connections.values.filter { isFull || $0.address == address }
            guard isFull || present.count > limit else { return nil }
            let idle = present.filter { $0.presence !== presence && !$0.presence.isAwaitingAnswer }
            let last = idle.min { $0.presence.idleSince < $1.presence.idleSince }
            // Closing takes a moment, in which it must not be chosen again.
            connections.removeValue(forKey: last.map { ObjectIdentifier($0.presence) } ?? id)
            return last?.channel ?? channel
        }
        channel.closeFuture.whenComplete { [self] _ in
            connections.withLockedValue { _ = $0.removeValue(forKey: id) }
        }
        surplus?.close(promise: nil)
    }
}
