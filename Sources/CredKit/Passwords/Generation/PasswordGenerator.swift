// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Makes random passwords: each character is chosen from an alphabet, independently, with the same probability for all.
///
/// ```swift
/// let generator = try PasswordGenerator(bits: 128)                          // 22 letters and digits
/// let password = try generator.generate()
/// ```
///
/// A random number that would favor some characters is discarded, and another one is taken (rejection sampling). Neither the
/// time nor the places of memory that are read depend on the characters, as long as they are ASCII.
public struct PasswordGenerator: Sendable, Hashable, CustomStringConvertible {
    /// The maximum number of characters of a password.
    public static let maximumLength = 4096

    /// The number of characters in a group.
    private static let groupLength = 5

    /// The characters that are chosen from.
    public let alphabet: Alphabet

    /// The number of random characters. Separators of groups are not counted.
    public let length: Int

    /// Whether a hyphen stands between groups of five characters, so that the password can be read out.
    public let isGrouped: Bool

    /// Creates a generator of passwords of a certain length.
    ///
    /// - Parameters:
    ///   - length: The number of random characters, at most ``maximumLength``.
    ///   - alphabet: The characters that are chosen from.
    ///   - isGrouped: Whether a hyphen stands between groups of five characters.
    /// - Throws: ``PasswordError/invalidParameters`` if the length is not positive or too large.
    public init(length: Int, alphabet: Alphabet = .alphanumeric, isGrouped: Bool = false)
        throws(PasswordError)
    {
        guard 1...Self.maximumLength ~= length else {
            throw .invalidParameters("a password has 1 to \(Self.maximumLength) characters")
        }
        self.length = length
        self.alphabet = alphabet
        self.isGrouped = isGrouped
    }

    /// Creates a generator of passwords of a certain strength.
    ///
    /// - Parameters:
    ///   - bits: The minimum strength: there are at least 2 to the power of this number of passwords, all with the same
    ///     probability. 128 are beyond any guessing.
    ///   - alphabet: The characters that are chosen from.
    ///   - isGrouped: Whether a hyphen stands between groups of five characters.
    /// - Throws: ``PasswordError/invalidParameters`` if the number is not positive, or more than ``maximumLength``
    ///   characters would be needed.
    public init(bits: Int, alphabet: Alphabet = .alphanumeric, isGrouped: Bool = false) throws(PasswordError)
    {
        guard bits > 0 else { throw .invalidParameters("a strength is at least 1 bit") }
        let length = (Double(bits) / alphabet.bitsPerCharacter).rounded(.up)
        guard length <= Double(Self.maximumLength) else {
            throw .invalidParameters(
                "\(bits) bits need more than \(Self.maximumLength) characters of this alphabet"
            )
        }
        try self.init(length: max(1, Int(length)), alphabet: alphabet, isGrouped: isGrouped)
    }

    /// The strength in bits: the logarithm, to base 2, of the number of possible passwords.
    public var bits: Double { Double(length) * alphabet.bitsPerCharacter }

    /// Makes a password.
    ///
    /// - Returns: The password, as UTF-8.
    /// - Throws: ``SecretMemoryError`` when there is no guarded memory left.
    public func generate() throws(SecretMemoryError) -> SecretBytes {
        var numbers = try RandomNumbers(bound: alphabet.scalars.count)
        let separators = isGrouped ? (length - 1) / Self.groupLength : 0
        var failure: SecretMemoryError?
        let password = try SecretBytes(capacity: length * alphabet.maximumByteCount + separators) { output in
            for index in 0..<length {
                do throws(SecretMemoryError) {
                    let number = try numbers.next()
                    if isGrouped && index > 0 && index % Self.groupLength == 0 {
                        output.append(UInt8(ascii: "-"))
                    }
                    alphabet.append(number, to: &output)
                } catch {
                    failure = error
                    return
                }
            }
        }
        if let failure { throw failure }
        return password
    }

    /// The length and the strength.
    public var description: String { "‹generator of \(length) characters, \(Int(bits)) bits›" }
}
