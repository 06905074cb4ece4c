// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// The costs of password hashing schemes in the words of the command line, which are the same in every command.
enum SchemeCosts {
    /// Returns the parameters with the costs that were given, and recommended values for all others.
    ///
    /// - Parameters:
    ///   - scheme: A scheme for new hashes.
    ///   - costs: The costs by their names in the library, memory in KiB.
    /// - Returns: The parameters.
    /// - Throws: `ValidationError` for a cost outside its range.
    static func parameters(
        of scheme: PasswordHash.Scheme,
        _ costs: [String: Int]
    ) throws -> PasswordParameters {
        do throws(PasswordError) {
            return try PasswordParameters(scheme, costs: costs)
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
