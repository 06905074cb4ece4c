// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// The costs of a new hash that a command line gives, and the words of the command line for costs, which are the same
/// in every command.
struct SchemeCosts {
    private let given: [String: Int]

    /// Creates costs.
    ///
    /// - Parameter costs: The costs by their names in the library, memory in KiB; `nil` for one that is not given.
    init(_ costs: [String: Int?]) { given = costs.compactMapValues { $0 } }

    /// Whether no cost is given.
    var isEmpty: Bool { given.isEmpty }

    /// Returns the parameters of a scheme, with recommended values for all costs that are not given.
    ///
    /// - Parameter scheme: A scheme for new hashes.
    /// - Returns: The parameters.
    /// - Throws: `ValidationError` for a cost outside its range.
    func parameters(of scheme: PasswordHash.Scheme) throws -> PasswordParameters {
        let costs = PasswordParameters.costs(of: scheme)
        if let name = given.keys.sorted().first(where: { name in !costs.contains { $0.name == name } }),
            !costs.isEmpty
        {
            let options = costs.map { "--\(Self.word($0.name))" }.joined(separator: ", ")
            throw ValidationError("\(scheme) does not take --\(Self.word(name)): its costs are \(options).")
        }
        for cost in costs {
            guard let value = given[cost.name], !cost.range.contains(value) else { continue }
            let limits = [cost.range.lowerBound, cost.range.upperBound].map { limit in
                cost.isMemory ? "\(MemorySizeArgument(kibibytes: limit))" : "\(limit)"
            }
            throw ValidationError("--\(Self.word(cost.name)) must be from \(limits[0]) to \(limits[1]).")
        }
        do throws(PasswordError) {
            return try PasswordParameters(scheme, costs: given)
        } catch {
            throw ValidationError("\(error).")
        }
    }

    /// Returns the costs as the options that stand for them: `--memory 64MiB --passes 3`.
    static func options(_ parameters: PasswordParameters) -> String {
        parameters.costs.map { "--\(word($0.name)) \(value($0))" }.joined(separator: " ")
    }

    /// Returns the costs of a scheme with their recommended values and meanings, for the help.
    static func help(of scheme: PasswordHash.Scheme) -> String {
        PasswordParameters.costs(of: scheme).map { cost in
            let value =
                cost.isMemory ? "\(MemorySizeArgument(kibibytes: cost.recommended))" : "\(cost.recommended)"
            return "--\(word(cost.name)) \(value) (\(cost.meaning))"
        }.joined(separator: ", ")
    }

    /// Returns the word for a parameter of a hash.
    static func word(_ name: String) -> String {
        // Like bcrypt's and yescrypt's cost, one more doubles the time.
        name == "log-n" ? "cost" : name
    }

    /// Returns the value of a parameter of a hash, memory with its unit.
    static func value(_ parameter: PasswordHash.Parameter) -> String {
        guard parameter.name.hasSuffix("memory"), let kibibytes = Int(parameter.value) else {
            return parameter.value
        }
        return "\(MemorySizeArgument(kibibytes: kibibytes))"
    }

    /// Returns parameters by their names in JSON: `memoryKiB`, `blockSize`.
    static func json(_ parameters: [PasswordHash.Parameter]) -> [String: NumberOrText] {
        var members: [String: NumberOrText] = [:]
        for parameter in parameters {
            let words = word(parameter.name).split(separator: "-")
            let name = words.dropFirst().reduce(String(words.first ?? "")) {
                $0 + $1.prefix(1).uppercased() + $1.dropFirst()
            }
            let unit = parameter.name.hasSuffix("memory") ? "KiB" : ""
            members[name + unit] = NumberOrText(parameter.value)
        }
        return members
    }
}

/// A value of JSON that is a number if it looks like one.
enum NumberOrText: Encodable {
    case number(Int)
    case text(String)

    init(_ text: String) { self = Int(text).map(NumberOrText.number) ?? .text(text) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}

/// A size of memory: `64MiB`, `65536KiB`, `1GiB`.
struct MemorySizeArgument: ExpressibleByArgument, CustomStringConvertible {
    private static let units = [("GiB", 1 << 20), ("MiB", 1 << 10), ("KiB", 1)]

    let kibibytes: Int

    var size: MemorySize { .kibibytes(kibibytes) }

    init(kibibytes: Int) { self.kibibytes = kibibytes }

    init?(argument: String) {
        guard let (_, factor) = Self.units.first(where: { argument.hasSuffix($0.0) }),
            let number = Int(argument.dropLast(3)), number > 0
        else { return nil }
        let (kibibytes, isOverflow) = number.multipliedReportingOverflow(by: factor)
        guard !isOverflow, kibibytes < 1 << 40 else { return nil }
        self.kibibytes = kibibytes
    }

    /// The size in the largest unit that gives a whole number.
    var description: String {
        let (unit, factor) = Self.units.first { kibibytes >= $0.1 && kibibytes % $0.1 == 0 } ?? ("KiB", 1)
        return "\(kibibytes / factor)\(unit)"
    }
}
