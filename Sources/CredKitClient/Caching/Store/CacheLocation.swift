// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What stored responses belong to: no request finds those of another account, nor those of requests that had other
/// credentials, or that another server has led here.
struct CacheLocation: Hashable, Sendable {
    /// The user in UTF-8, because names are compared as bytes; `nil` without a login.
    private let account: [UInt8]?
    /// Whether the request had cookies, a token or `Authorization` of the session.
    private let hasCredentials: Bool
    /// A keyed hash of the program's own credentials, or of all if no user is logged in; `nil` if there are none.
    private let ownCredentials: [UInt8]?
    private let isRedirectTainted: Bool
    /// Who has signed the request; `nil` if it was unsigned.
    private let signer: String?
    let url: HTTPURL

    init(
        account: String?,
        hasCredentials: Bool,
        ownCredentials: [UInt8]? = nil,
        isRedirectTainted: Bool = false,
        signer: String? = nil,
        url: HTTPURL
    ) {
        self.account = account.map { Array($0.utf8) }
        self.hasCredentials = hasCredentials
        self.ownCredentials = ownCredentials
        self.isRedirectTainted = isRedirectTainted
        self.signer = signer
        self.url = url
    }

    /// The same and a number, in bytes that no other location or number has.
    func bytes(number: UInt8) -> [UInt8] {
        let address = url.absoluteString.utf8
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 + address.count)
        bytes.append(number)
        bytes.append(hasCredentials ? 1 : 0)
        bytes.append(isRedirectTainted ? 1 : 0)
        Self.append(account, to: &bytes)
        Self.append(ownCredentials, to: &bytes)
        Self.append(signer?.utf8, to: &bytes)
        bytes += address
        return bytes
    }

    private static func append(_ part: (some Collection<UInt8>)?, to bytes: inout [UInt8]) {
        guard let part else { return bytes.append(0) }
        bytes.append(1)
        let count = part.count
        for shift in stride(from: 0, to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: count >> shift))
        }
        bytes += part
    }

    /// The same at another URL.
    func at(_ url: HTTPURL) -> CacheLocation {
        CacheLocation(self, url)
    }

    private init(_ other: CacheLocation, _ url: HTTPURL) {
        account = other.account
        hasCredentials = other.hasCredentials
        ownCredentials = other.ownCredentials
        isRedirectTainted = other.isRedirectTainted
        signer = other.signer
        self.url = url
    }

    /// The locations of a URL for an account without credentials of the program's own, unsigned and by certain signers.
    static func all(of account: String?, signers: Set<String>, url: HTTPURL) -> [CacheLocation] {
        let variants: [(hasCredentials: Bool, isTainted: Bool)] = [
            (true, true), (true, false), (false, true), (false, false),
        ]
        return ([nil] + signers.map(Optional.some)).flatMap { signer in
            variants.map { variant in
                CacheLocation(
                    account: account,
                    hasCredentials: variant.hasCredentials,
                    isRedirectTainted: variant.isTainted,
                    signer: signer,
                    url: url
                )
            }
        }
    }
}
