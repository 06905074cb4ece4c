// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The name that the command was called by: git and docker call it through a link with a name of their own.
enum CalledName {
    /// The subcommand that the name stands for.
    static var arguments: [String] {
        guard let path = CommandLine.unsafeArgv[0] else { return [] }
        let name = String(cString: path).split(separator: "/").last
        return switch name {
        case "git-credential-credkit": ["git-credential"]
        case "docker-credential-credkit": ["docker-credential"]
        default: []
        }
    }
}
