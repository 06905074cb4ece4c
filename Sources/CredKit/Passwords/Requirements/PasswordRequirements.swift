// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a new password must be like, as [NIST SP 800-63B-4](https://doi.org/10.6028/NIST.SP.800-63B-4) §3.1.1.2 has it: long
/// enough, and neither common, expected nor leaked. There are no rules about digits or capital letters, which that
/// guideline forbids.
///
/// ```swift
/// let requirements = PasswordRequirements(blocklists: [leaked])
/// if let rejection = try policy.rejects(password, by: requirements, about: [.userName("alice"), .serviceName("Example")]) {
///     show(rejection.description)                  // "the password is shorter than 15 characters"
/// }
/// ```
///
/// They are for passwords that users choose. Passwords that are already stored stay valid.
public struct PasswordRequirements: Sendable {
    /// The smallest number of characters of a password that is not the only factor of a login, and the lowest
    /// ``minimumLength``.
    public static let minimumLengthWithSecondFactor = 8

    /// The lowest ``maximumLength``.
    public static let leastMaximumLength = 64

    /// The minimum length in characters of Unicode (code points): 15, or 8 if each login also needs a second factor. A lower
    /// value than 8 counts as 8.
    public var minimumLength: Int

    /// The maximum length in characters of Unicode (code points). A lower value than 64 counts as 64. The limit of
    /// ``PasswordLimits/passwordByteCount`` applies in addition when a password is hashed.
    public var maximumLength: Int

    /// The lists of rejected passwords.
    public var blocklists: [PasswordBlocklist]

    /// Creates requirements.
    ///
    /// - Parameters:
    ///   - minimumLength: The minimum length in characters.
    ///   - maximumLength: The maximum length in characters.
    ///   - blocklists: The lists of rejected passwords. The guideline requires one.
    public init(minimumLength: Int = 15, maximumLength: Int = 1024, blocklists: [PasswordBlocklist] = []) {
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.blocklists = blocklists
    }

    /// Checks a new password.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - normalization: The normalization before a password is hashed. Its result is counted and compared; lists are also
    ///     searched for the password as it is.
    ///   - words: The words that an attacker would try for this user: the user's name, that of the service.
    /// - Returns: All reasons to reject it; none if it is acceptable.
    /// - Throws: ``PasswordError/unreadableBlocklist``, ``PasswordError/malformedBlocklist``,
    ///   ``PasswordError/changedBlocklist``, ``PasswordError/outOfMemory``. Ask the user to try again later then.
    public func check(
        _ password: some SecretInput,
        normalization: PasswordNormalization = .none,
        about words: [ContextWord] = []
    ) throws(PasswordError) -> [PasswordRejection] {
        try password.withSecretBytes { (password) throws(PasswordError) in
            try check(password, normalization, words)
        }
    }

    private func check(
        _ password: Span<UInt8>,
        _ normalization: PasswordNormalization,
        _ words: [ContextWord]
    ) throws(PasswordError) -> [PasswordRejection] {
        let maximum = max(maximumLength, Self.leastMaximumLength)
        // A character has at most four bytes. Normalization at most halves their number again.
        guard password.count / 8 <= maximum else {
            return [.tooLong(maximum: maximum)] + (try listings(password))
        }
        let normalized: SecretBytes?
        do throws(PasswordError) {
            normalized = try normalization.apply(to: password)
        } catch {
            guard error == .passwordNotAllowed else { throw error }
            return [.notAllowed(error.message)] + (try listings(password))
        }
        guard let normalized else { return try check(password, original: nil, maximum, words) }
        return try normalized.withSecretBytes { (normalized) throws(PasswordError) in
            try check(normalized, original: password, maximum, words)
        }
    }

    private func check(
        _ password: Span<UInt8>,
        original: Span<UInt8>?,
        _ maximum: Int,
        _ words: [ContextWord]
    ) throws(PasswordError) -> [PasswordRejection] {
        var rejections: [PasswordRejection] = []
        let length = FoldedPassword.characterCount(password)
        let minimum = max(minimumLength, Self.minimumLengthWithSecondFactor)
        if length < minimum { rejections.append(.tooShort(minimum: minimum)) }
        if length > maximum {
            rejections.append(.tooLong(maximum: maximum))
        } else if let word = try FoldedPassword(password).derivation(from: words) {
            rejections.append(.derived(from: word.kind))
        }
        return rejections + (try listings(password, original: original))
    }

    /// Returns a rejection for each list that has the password. Callers search the lists even if the password was already
    /// rejected for another reason: a program may show only the rejections by lists.
    private func listings(
        _ password: Span<UInt8>,
        original: Span<UInt8>? = nil
    ) throws(PasswordError) -> [PasswordRejection] {
        var rejections: [PasswordRejection] = []
        for list in blocklists {
            var isListed = try list.contains(span: password)
            if !isListed, let original { isListed = try list.contains(span: original) }
            if isListed { rejections.append(.listed(in: list.name)) }
        }
        return rejections
    }
}

extension PasswordPolicy {
    /// Checks a new password against requirements, normalized as it would be hashed.
    ///
    /// - Parameters:
    ///   - password: The password that a user has chosen.
    ///   - requirements: What it must be like.
    ///   - words: The words that an attacker would try for this user.
    /// - Returns: The first reason to reject it, or `nil` if it is acceptable.
    /// - Throws: ``PasswordError`` if there is no answer; see
    ///   ``PasswordRequirements/check(_:normalization:about:)``.
    public func rejects(
        _ password: some SecretInput,
        by requirements: PasswordRequirements,
        about words: [PasswordRequirements.ContextWord] = []
    ) throws(PasswordError) -> PasswordRejection? {
        try requirements.check(password, normalization: normalization, about: words).first
    }
}
