// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// What a ``LoginService`` answers to the first message of a login by SCRAM.
public enum SCRAMFirstAnswer: Sendable, Equatable {
    /// The login can go on, whether or not the user exists. Over HTTP: 401, with both in `WWW-Authenticate`.
    ///
    /// - Parameters:
    ///   - sid: What the client must send with its last message: base64url. It contains the first messages, encrypted.
    ///   - serverFirst: The server's first message.
    case challenge(sid: String, serverFirst: String)
    /// The message is malformed, or asks for something that is not offered. The reason does not depend on the user. Over HTTP:
    /// 401, with the list of ``SCRAMMechanism/offered`` mechanisms.
    case rejected(SCRAM.Error)
    /// The service has no mechanism of this name.
    case unknownMechanism
}
