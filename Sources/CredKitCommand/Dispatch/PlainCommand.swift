// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A command line that is run without the argument parser, whose start takes longer than what such a command does: it looks
/// up conformances by the hundred, each in a table of the whole program.
enum PlainCommand {
    case checksums(PlainChecksums)
    case keychainGet(PlainKeychainGet)

    /// Takes the command line if it is one of these.
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
