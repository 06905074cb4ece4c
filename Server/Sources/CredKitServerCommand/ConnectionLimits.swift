// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOConcurrencyHelpers
import NIOCore

/// Limits the open connections, in total and of each address. A connection that is opened over a limit takes the place of the
/// one that was without a request for the longest time, of the address that has most.
final class ConnectionLimits: Sendable {
    private struct Connection {
        let address: String
        let isProxy: Bool
        var isClosing = false
        let channel: any Channel
        let presence: ClientPresence
    }

    /// The maximum number of connections.
    private static let total = 512
    /// The maximum number of connections of one address, which may be that of a school.
    private static let perAddress = 128
    /// The maximum number of further connections that are being closed.
    private static let closing = 128

    private let proxies: TrustedProxies
    private let connections = NIOLockedValueBox<[ObjectIdentifier: Connection]>([:])

    /// - Parameter proxies: The proxies, for which only the total counts.
    init(_ proxies: TrustedProxies = TrustedProxies()) { self.proxies = proxies }

    /// Counts a connection until it is closed. Closes another one if there are too many, or this one if the server works for all
    /// others.
    func begin(_ channel: any Channel, of presence: ClientPresence) {
        let peer = channel.remoteAddress?.ipAddress ?? "unknown"
        let address = ClientAddress.rateLimitKey(for: peer)
        let isProxy = proxies.areTrusted(peer)
        let id = ObjectIdentifier(presence)
        let surplus: (any Channel)? = connections.withLockedValue { connections in
            // Those that are being closed have a descriptor, too.
            guard connections.count < Self.total + Self.closing else { return channel }
            connections[id] = Connection(
                address: address,
                isProxy: isProxy,
                channel: channel,
                presence: presence
            )
            let open = connections.values.filter { !$0.isClosing }
            let own = open.filter { $0.address == address }
            let isFull = open.count > Self.total
            guard isFull || own.count > (isProxy ? Self.total : Self.perAddress) else { return nil }
            let counts = Dictionary(grouping: open, by: \.address).mapValues(\.count)
            let idle = (isFull ? open : own).filter {
                $0.presence !== presence && !$0.presence.isAwaitingAnswer
            }
            // Of the address with most connections, the one that was without a request for the longest time.
            let last = idle.min {
                let sizes = [$0, $1].map { $0.isProxy ? 0 : counts[$0.address] ?? 0 }
                return sizes[0] == sizes[1]
                    ? $0.presence.idleSince < $1.presence.idleSince : sizes[0] > sizes[1]
            }
            connections[last.map { ObjectIdentifier($0.presence) } ?? id]?.isClosing = true
            return last?.channel ?? channel
        }
        channel.closeFuture.whenComplete { [self] _ in
            connections.withLockedValue { _ = $0.removeValue(forKey: id) }
        }
        surplus?.close(promise: nil)
    }
}
