// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer

/// A login with a PIN and a number that is valid once, as a program that depends on CredKit would add it: the client gets
/// the number as the challenge, and posts it with the PIN.
struct PINMechanism: ServerLoginMechanism {
    static let name = "pin"
    static let lifetime = Duration.seconds(60)

    var name: String { Self.name }
    private let passwords: PasswordService
    private var numbers: any ChallengeStore

    init(_ passwords: PasswordService) {
        self.passwords = passwords
        numbers = LoginStorage.memory().challenges
    }

    func connected(to storage: LoginStorage) -> Self {
        var copy = self
        copy.numbers = storage.challenges
        return copy
    }

    func challenge(for clientAddress: String, at now: UnixTime) async throws -> String? {
        let number = "\(now.seconds)-\(Hex.encode(SecureRandom.bytes(count: 16)))"
        try await numbers.remember(
            number,
            of: Self.client(clientAddress),
            lifetime: Self.lifetime,
            perClientLimit: 64
        )
        return number
    }

    func verify(
        _ attempt: LoginAttempt,
        account: LoginAccount?,
        at now: UnixTime
    ) async throws -> MechanismVerdict {
        // All of this is done for each attempt: the service takes as long for an account without a PIN, or for none.
        let issued = try await issued(attempt.challenge, to: attempt.clientAddress, at: now)
        let stored = account?.mechanismCredentials[name]?.text
        let isRight: Bool
        do throws(PasswordError) {
            isRight = try await passwords.verify(
                attempt.response,
                against: stored,
                account: attempt.username,
                clientAddress: attempt.clientAddress
            ).isMatch
        } catch {
            guard error == .busy else { return .rejected }
            return .unavailable(retryAfter: .seconds(1))
        }
        guard isRight, let issued, let account, let number = attempt.challenge else { return .rejected }
        let use = SingleUse(
            StoreKey("pin number", number),
            of: account.name,
            validFrom: issued,
            validUntil: issued + Self.lifetime,
            verifiedAt: now
        )
        return .accepted(using: use, challenge: number)
    }

    func consume(_ challenge: String, of clientAddress: String) async throws {
        _ = try await numbers.consume(challenge, of: Self.client(clientAddress))
    }

    /// Returns the time at which a number was issued to a client; `nil` if it was not, or too long ago.
    private func issued(
        _ number: String?,
        to clientAddress: String,
        at now: UnixTime
    ) async throws -> UnixTime? {
        let numbers = try await numbers.challenges(of: Self.client(clientAddress))
        guard let number, numbers.contains(where: { ConstantTime.areEqual($0.utf8, number.utf8) }) else {
            return nil
        }
        guard let seconds = number.split(separator: "-").first.flatMap({ Int64($0) }) else { return nil }
        let issued = UnixTime(seconds)
        return now < issued + Self.lifetime ? issued : nil
    }

    private static func client(_ address: String) -> StoreKey { StoreKey("pin client", address) }
}

// The line with which users list it: `mechanisms: [.pin(passwords)]`.
extension ServerLoginMechanism where Self == PINMechanism {
    static func pin(_ passwords: PasswordService) -> Self { PINMechanism(passwords) }
}
