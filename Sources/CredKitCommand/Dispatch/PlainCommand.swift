// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A command line that runs without the argument parser, whose start takes longer than the work of such a command: it
/// looks up hundreds of conformances, each in a table of the whole program.
enum PlainCommand {
    case checksums(PlainChecksums)
    case keychainGet(PlainKeychainGet)

    /// Parses the command line. Returns `nil` if it is not one of these.
    init?() {
        if let checksums = PlainChecksums() {
            self = .checksums(checksums)
        } else if let get = PlainKeychainGet() {
            self = .keychainGet(get)
        } else {
            return nil
        }
    }

    func run() throws {
        switch self {
        case .checksums(let checksums): try checksums.run()
        case .keychainGet(let get): try get.run()
        }
    }
}
