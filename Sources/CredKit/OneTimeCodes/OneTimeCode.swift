// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A one-time code: 6 to 8 decimal digits, leading zeros included.
///
/// ```swift
/// let code = try key.code()
/// print(code.text)                                        // 049821
/// print(code)                                             // ‹code of 6 digits›
/// ```
///
/// A code is a secret as long as a server accepts it: only ``text`` has the digits. The time of a comparison does not
/// depend on them.
public struct OneTimeCode: Sendable, Equatable {
    /// The numbers of digits that a code can have.
    public static let digitCounts: ClosedRange<Int> = 6...8

    /// The number of digits.
    public let digitCount: Int

    /// The digits as ASCII, followed by zeros.
    private var characters = InlineArray<8, UInt8>(repeating: 0)

    /// Reads a code that a person typed; `nil` unless there are 6 to 8 digits of ASCII, and nothing else.
    ///
    /// - Parameter text: The digits.
    public init?(_ text: some StringProtocol) {
        // A long text is not counted to its end.
        let utf8 = text.utf8.prefix(9)
        guard Self.digitCounts.contains(utf8.count), utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        digitCount = utf8.count
        for (index, character) in utf8.enumerated() { characters[index] = character }
    }

    /// Creates the last digits of a number.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - digitCount: The number of digits, one of ``digitCounts``.
    init(lastDigitsOf number: UInt32, digitCount: Int) {
        self.digitCount = digitCount
        var rest = number
        for index in (0..<digitCount).reversed() {
            // The quotient by ten as a product: the time of a division can depend on the number.
            let quotient = UInt32(truncatingIfNeeded: (UInt64(rest) &* 0xCCCC_CCCD) >> 35)
            characters[index] = 0x30 &+ UInt8(truncatingIfNeeded: rest &- quotient &* 10)
            rest = quotient
        }
    }

    /// The digits. The text is on the heap and is not wiped.
    public var text: String {
        String(decoding: (0..<digitCount).map { characters[$0] }, as: UTF8.self)
    }

    /// Returns whether two codes are equal, in a time that does not depend on their digits.
    public static func == (left: Self, right: Self) -> Bool {
        left.digitCount == right.digitCount
            && ConstantTime.areEqual(left.characters.span, right.characters.span)
    }
}

extension OneTimeCode: CustomStringConvertible, CustomReflectable {
    /// The number of digits, without the digits.
    public var description: String { "‹code of \(digitCount) digits›" }

    /// A mirror without children: dumping a code reveals only its length.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
