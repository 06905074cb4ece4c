// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Users in memory, for tests and small servers.
public final class InMemoryAccounts: WritableAccounts {
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
            accounts[key] = account.with(newer)
        }
    }

    /// Stores a credential in place of another one, or creates an account.
    ///
    /// - Parameters:
    ///   - newer: What to store.
    ///   - old: The credential that the account must have; `nil` if there must be no account of the name.
    ///   - name: The account's name.
    /// - Returns: Whether it is stored.
    public func set(
        _ newer: StoredCredential,
        inPlaceOf old: StoredCredential?,
        ofAccountNamed name: String
    ) -> Bool {
        accounts.withLock { accounts in
            let key = Array(name.utf8)
            guard accounts[key]?.credential == old else { return false }
            accounts[key] = accounts[key]?.with(newer) ?? LoginAccount(name: name, credential: newer)
            return true
        }
    }

    /// Removes an account.
    ///
    /// - Parameter name: The account's name.
    /// - Returns: Whether there was one.
    public func remove(accountNamed name: String) -> Bool {
        accounts.withLock { $0.removeValue(forKey: Array(name.utf8)) != nil }
    }

    /// Returns the names of all accounts, in the order of their bytes.
    public func accountNames() -> [String] {
        accounts.withLock { $0.values.map(\.name) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension LoginAccount {
    /// The same account with another credential.
    fileprivate func with(_ newer: StoredCredential) -> Self {
        Self(
            name: name,
            credential: newer,
            mechanismCredentials: mechanismCredentials,
            revision: revision
        )
    }
}
