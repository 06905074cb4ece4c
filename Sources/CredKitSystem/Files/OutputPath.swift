// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The place of a file that a user names to be written. What another user has put there beforehand is refused.
///
/// The rule is that of the kernel's `protected_symlinks`, `protected_fifos` and `protected_regular`, which can be switched
/// off, and which do not see a path that a program resolves: in a folder that others can write, with or without the sticky
/// bit, a link, pipe, socket, device or file must belong to this user, to root or to the folder's owner. It must have no
/// second name, because another user can give a name there to a file of this user. CredKit is stricter than the kernel:
///
/// - The rule holds for each link on the way, not for the last one alone.
/// - A folder that another user made in a folder of all can be a trap as well. In it, what belongs to its owner is refused.
/// - An ordinary file, which is replaced, must belong to this user in every folder.
///
/// Each component is opened relative to the one before it, and what is open is checked, so that nothing can be exchanged
/// meanwhile.
package struct OutputPath: Sendable {
    /// What has the name.
    enum Occupant: Sendable {
        /// Nothing.
        case none
        /// An ordinary file, which a new one is to replace.
        case file
        /// A pipe, a device or a socket, or a file that another process has open; open for its path alone.
        case special(Descriptor)
        /// What this process has open.
        case own(Descriptor)
    }

    /// The folder, open for its path alone.
    package let folder: Descriptor
    /// The name in the folder, with a NUL byte at its end.
    package let name: [CChar]
    let occupant: Occupant
    private let operation: String

    init(folder: Descriptor, name: ArraySlice<UInt8>, _ occupant: Occupant, _ operation: String) {
        (self.folder, self.name) = (folder, PathWalk.terminated(name))
        (self.occupant, self.operation) = (occupant, operation)
    }

    /// Finds the place of a file that may exist. Links are followed to a file that exists.
    ///
    /// - Parameters:
    ///   - path: The bytes of the path.
    ///   - operation: What fails if this does, for people: "cannot write /a/b".
    /// - Throws: ``SystemError``; `insecureFile` if another user has put something there.
    package init(_ path: [UInt8], _ operation: String) throws(SystemError) {
        var way = try OutputWalk(path, operation)
        self = try way.place()
    }

    /// Finds the place of a file whose name must not exist yet: the last component is neither followed nor looked at.
    ///
    /// - Parameters:
    ///   - path: The bytes of the path.
    ///   - operation: What fails if this does, for people: "cannot write /a/b".
    /// - Throws: ``SystemError``; `insecureFile` if another user has put a link on the way.
    package init(newFileAt path: [UInt8], _ operation: String) throws(SystemError) {
        var way = try OutputWalk(path, operation)
        self = try way.newPlace()
    }

    /// Opens a folder to write files into it.
    ///
    /// - Parameters:
    ///   - path: The bytes of the path.
    ///   - operation: What fails if this does, for people.
    /// - Returns: The folder, open for reading.
    /// - Throws: ``SystemError``; `insecureFile` if another user has put the folder there, or a link on the way.
    package static func openFolder(_ path: [UInt8], _ operation: String) throws(SystemError) -> Descriptor {
        var way = try OutputWalk(path, operation)
        return try way.openedFolder()
    }

    /// Whether a file exists, which a new one is to replace.
    package var isFile: Bool { if case .file = occupant { true } else { false } }

    /// Whether a pipe, a device or the like is written itself.
    package var isDirect: Bool {
        switch occupant {
        case .none, .file: false
        case .special, .own: true
        }
    }

    /// Opens what is written directly: the very file that was checked. A file that another process has open is
    /// truncated, as by a shell.
    ///
    /// - Returns: The open file; `nil` if a file is to be created or replaced.
    /// - Throws: ``SystemError``.
    package func openDirect() throws(SystemError) -> Descriptor? {
        switch occupant {
        case .none, .file: return nil
        case .own(let file): return file
        case .special(let file):
            let number = unsafe open(
                "/proc/self/fd/\(file.number)",
                O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY
            )
            guard number >= 0 else { throw SystemError(errno, operation) }
            return Descriptor(number)
        }
    }
}
