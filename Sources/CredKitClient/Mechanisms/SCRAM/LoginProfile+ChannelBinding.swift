// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension LoginProfile {
    /// Whether a login by SCRAM is bound to its TLS connection. A relay whose certificate this client trusts can then not use
    /// the login.
    public enum ChannelBinding: Sendable, Hashable {
        /// The login is not bound: for a server behind a proxy that ends TLS.
        case none

        /// The login is bound if the server offers it. That costs a request for the server's list of mechanisms. An attacker
        /// who removes the offer from the list is detected by the server. The login is not bound over a connection without
        /// TLS, or with a transport that cannot read the value; if the server offers it and the connection has no value of
        /// this kind, it fails.
        case preferred(SCRAM.ChannelBinding.Kind)

        /// The login is bound, or fails.
        case required(SCRAM.ChannelBinding.Kind)
    }
}
