// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension MechanismUse {
    /// The use of one mechanism.
    public struct Count: Sendable, Hashable {
        /// The name of the mechanism.
        public let mechanism: String
        /// The number of logins.
        public let logins: Int
        /// The number of accounts that logged in, of those that are remembered.
        public let accounts: Int
        /// The time of the last login.
        public let lastUse: UnixTime

        /// Creates a count.
        ///
        /// - Parameters:
        ///   - mechanism: The name of the mechanism.
        ///   - logins: The number of logins.
        ///   - accounts: The number of accounts that logged in, of those that are remembered.
        ///   - lastUse: The time of the last login.
        public init(mechanism: String, logins: Int, accounts: Int, lastUse: UnixTime) {
            self.mechanism = mechanism
            self.logins = logins
            self.accounts = accounts
            self.lastUse = lastUse
        }
    }

    /// The last login of an account.
    public struct AccountUse: Sendable, Hashable {
        /// The name of the account in the table.
        public let account: String
        /// The time of the login.
        public let lastUse: UnixTime

        /// Creates a use.
        ///
        /// - Parameters:
        ///   - account: The name of the account in the table.
        ///   - lastUse: The time of the login.
        public init(account: String, lastUse: UnixTime) {
            self.account = account
            self.lastUse = lastUse
        }
    }

    /// What a store adds to its counts of one mechanism.
    public struct Addition: Sendable, Hashable {
        /// The most accounts of an addition that ``MechanismUse/save(to:)`` makes.
        static let accountLimit = 500
        /// The most bytes of their names, unless it is a single one.
        static let byteLimit = 256 << 10

        /// The name of the mechanism: from 1 to 64 printable ASCII characters.
        public let mechanism: String
        /// The number of further logins.
        public let logins: Int
        /// The time of the last of them.
        public let lastUse: UnixTime
        /// Accounts that logged in, each with its last login.
        public let accounts: [AccountUse]

        /// Creates an addition.
        ///
        /// - Parameters:
        ///   - mechanism: The name of the mechanism.
        ///   - logins: The number of further logins.
        ///   - lastUse: The time of the last of them.
        ///   - accounts: Accounts that logged in, each with its last login.
        public init(mechanism: String, logins: Int, lastUse: UnixTime, accounts: [AccountUse]) {
            self.mechanism = mechanism
            self.logins = logins
            self.lastUse = lastUse
            self.accounts = accounts
        }
    }
}
