// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The server had closed a connection that was kept open, maybe after it received the request, which may be repeated.
struct ClosedConnection: Error {}
