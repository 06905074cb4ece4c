// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// The users with their numbers and their keys of one-time codes.
protocol ServerUserTable: LoginAccounts, OneTimeCodeUsers {
    /// Returns the number of a user, for answers; `nil` if there is no such user any more.
    func identifier(ofUserNamed name: String) async throws -> Int?
}
