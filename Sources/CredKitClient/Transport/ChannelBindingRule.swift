// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// What one request requires of the TLS connection that carries it, so that a login can be bound to that connection.
///
/// Whether a login is bound is for `SCRAMBindingChoice`, and whether it may be bound less than the saved one for
/// `LoginSession+Downgrade`.
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
