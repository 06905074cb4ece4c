// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A way to make new hashes: its scheme, what it costs, and the recipe for given costs.
package struct PasswordMaker: Sendable {
    /// One number that decides how much work a hash is.
    package struct Cost: Sendable {
        /// The name: `memory`, `passes`, `rounds` …
        package let name: String
        /// What it counts, for people.
        package let meaning: String
        /// What is recommended today.
        package let recommended: Int
        let range: ClosedRange<Int>
        /// Whether it is a number of KiB.
        package var isMemory = false
    }

    let scheme: PasswordHash.Scheme
    let costs: [Cost]

    /// Which of the costs time grows with, and how: what calibration turns.
    let tuning: Tuning

    /// The recipe for costs in the order of ``costs``, each within its range.
    let make: @Sendable (_ costs: [Int]) throws(PasswordError) -> any PasswordRecipe

    /// How time depends on a cost.
    enum Tuning: Sendable {
        /// In proportion to the cost at an index.
        case linear(costIndex: Int)
        /// Twice as much for each step of the cost at an index.
        case doubling(costIndex: Int)

        var costIndex: Int {
            switch self {
            case .linear(let index), .doubling(let index): index
            }
        }
    }
}

/// A scheme with its costs: what makes a new hash.
protocol PasswordRecipe: Sendable {
    /// What making a hash of a password takes.
    func expense(passwordByteCount: Int) -> PasswordExpense

    /// Whether the scheme takes no memory to speak of, so that graphics cards compute it well.
    var isMemoryless: Bool { get }

    /// The longest password in bytes that counts in full, if there is such a limit, below which a NUL is not
    /// possible either: crypt(3) reads C strings.
    var longestCString: Int? { get }

    /// The text of a new hash of the password with a new salt.
    func hash(_ password: Span<UInt8>, _ context: PasswordContext) throws(PasswordError) -> String

    /// A recipe that takes a share, more than 0 and at most 1, of this one's time, to be carried out a number of times;
    /// `nil` where that is too little to matter.
    func portion(_ share: Double) -> PasswordPortion?

    /// Whether a stored hash was made with this recipe, or might have been.
    func hasCosts(of stored: any PasswordScheme) -> Bool

    /// Whether a stored hash is of the same scheme and gives an attacker less work than this recipe does.
    /// `nil` if it is of another scheme.
    func isStronger(than stored: any PasswordScheme) -> Bool?
}

/// A part of a recipe's work.
struct PasswordPortion: Sendable {
    let recipe: any PasswordRecipe
    let repetitions: Int
    /// The part of the whole's work that this is.
    let share: Double

    /// So many times a recipe that takes `1 / parts` of the whole.
    init?(of recipe: any PasswordRecipe, parts: Int, share: Double) {
        self.recipe = recipe
        repetitions = Int((share * Double(parts)).rounded())
        self.share = Double(repetitions) / Double(parts)
        if repetitions == 0 { return nil }
    }

    /// A recipe that is a part as it is.
    init(_ recipe: any PasswordRecipe, share: Double = 1) {
        self.recipe = recipe
        repetitions = 1
        self.share = share
    }
}

extension PasswordRecipe {
    var isMemoryless: Bool { false }
    var longestCString: Int? { nil }
}
