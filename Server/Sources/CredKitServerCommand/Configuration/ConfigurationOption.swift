// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials

/// An option that a configuration file may have.
struct ConfigurationOption: Equatable {
    /// Whether it has a value, unlike a flag.
    let takesValue: Bool
    /// Whether it may have several lines.
    let isRepeatable: Bool
    /// Whether the value is the name of a file.
    let isFile: Bool

    private struct Description: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let arguments: [Argument]?
    }

    private struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        struct Completion: Decodable {
            struct File: Decodable {}

            let file: File?
        }

        let kind: String
        let isRepeating: Bool
        let names: [Name]?
        let completionKind: Completion?
    }

    /// Options that make sense on a command line alone.
    private static let others: Set = ["config", "help", "version"]

    /// Returns the options of a command by their long names, without hyphens, as the argument parser describes them.
    ///
    /// - Parameter command: The command.
    /// - Returns: The options.
    static func all(of command: any ParsableCommand.Type) -> [String: ConfigurationOption] {
        let json = Data(command._dumpHelp().utf8)
        let arguments = (try? JSONDecoder().decode(Description.self, from: json))?.command.arguments ?? []
        var options: [String: ConfigurationOption] = [:]
        for argument in arguments where argument.kind != "positional" {
            for name in argument.names ?? [] where name.kind == "long" && !others.contains(name.name) {
                options[name.name] = ConfigurationOption(
                    takesValue: argument.kind == "option",
                    isRepeatable: argument.isRepeating,
                    isFile: argument.completionKind?.file != nil
                )
            }
        }
        return options
    }
}
