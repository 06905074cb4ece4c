// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Users in memory, for tests and small servers.
public final class InMemoryAccounts: LoginAccounts {
    /// By the bytes of the name.
    private let accounts: Lock<[[UInt8]: LoginAccount]>

    /// Creates a table.
    ///
    /// - Parameter accounts: The users. Of several users with the same name, the last one counts.
    public init(_ accounts: [LoginAccount]) {
        self.accounts = Lock(Dictionary(accounts.map { (Array($0.name.utf8), $0) }) { $1 })
    }

    /// Finds a user.
    ///
    /// - Parameter name: The name.
    /// - Returns: The user; `nil` if there is none.
    public func account(named name: String) -> LoginAccount? {
        accounts.withLock { $0[Array(name.utf8)] }
    }

    /// Stores a credential in place of another one.
    ///
    /// - Parameters:
    ///   - credential: The credential that was verified. If the account has another one by now, nothing happens.
    ///   - newer: What to store in its place.
    ///   - name: The account's name.
    public func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofAccountNamed name: String
    ) {
        accounts.withLock { accounts in
            let key = Array(name.utf8)
            guard let account = accounts[key], account.credential == credential else { return }
            accounts[key] = LoginAccount(
                name: account.name,
                credential: newer,
                mechanismCredentials: account.mechanismCredentials,
                revision: account.revision
            )
        }
    }
}
