// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// What a request requires of the TLS connection that carries it, so that a login can be bound to that connection.
public enum ChannelBindingRule: Sendable, Hashable {
    /// The connection has a binding of this kind, which ``TransportResponse/channelBinding`` returns.
    case any(SCRAM.ChannelBinding.Kind)

    /// The connection has exactly this binding. The request is not sent over another one.
    case exactly(SCRAM.ChannelBinding)

    /// The kind of binding.
    public var kind: SCRAM.ChannelBinding.Kind {
        switch self {
        case .any(let kind): kind
        case .exactly(let binding): binding.kind
        }
    }
}
