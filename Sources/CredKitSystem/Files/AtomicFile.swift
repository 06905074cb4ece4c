// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A new file that has its name when it is whole and on the disk, or never. Only this user can read it.
///
/// What is not committed is removed with the value.
package struct AtomicFile: ~Copyable {
    /// The file while it is written.
    private let descriptor: Descriptor
    private let directory: PrivateDirectory
    private let temporaryName: String
    private let operation: String
    private var isCommitted = false

    /// Creates the file under a temporary name.
    ///
    /// - Parameters:
    ///   - directory: Its folder.
    ///   - temporaryName: A name that no file has.
    ///   - operation: What fails if writing does, for people: "cannot write /a/b".
    /// - Throws: ``SystemError``.
    package init(
        in directory: PrivateDirectory,
        temporaryName: String,
        _ operation: String
    ) throws(SystemError) {
        self.directory = directory
        self.temporaryName = temporaryName
        self.operation = operation
        descriptor = try directory.create(temporaryName, operation)
    }

    deinit {
        if !isCommitted { directory.remove(temporaryName) }
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(SystemError) { try descriptor.writeAll(bytes, operation) }

    /// Waits until what was written is on the disk.
    package func synchronize() throws(SystemError) { try descriptor.synchronize(operation) }

    /// Gives the file its name, in place of the file that had it. When this returns, it will be found after a power
    /// failure as well. The content must have been synchronized.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - operation: What fails if this does, for people; as for writing if `nil`.
    /// - Throws: ``SystemError``.
    package mutating func commit(as name: String, _ operation: String? = nil) throws(SystemError) {
        let errorNumber = directory.rename(temporaryName, to: name)
        guard errorNumber == 0 else { throw SystemError(errorNumber, operation ?? self.operation) }
        isCommitted = true
        try directory.synchronize()
    }

    /// Gives the file its name unless a file has it. When this returns `true`, it will be found after a power failure
    /// as well. The content must have been synchronized.
    ///
    /// - Parameter name: The name.
    /// - Returns: `false` if a file has the name.
    /// - Throws: ``SystemError``.
    package mutating func commit(asNew name: String) throws(SystemError) -> Bool {
        switch directory.link(temporaryName, to: name) {
        case 0:
            try directory.synchronize()
            return true
        case EEXIST: return false
        case EPERM, EOPNOTSUPP, ENOSYS, EMLINK:
            // Not every file system has hard links. Another writer may come between these two calls.
            guard !directory.contains(name) else { return false }
            try commit(as: name)
            return true
        case let errorNumber: throw SystemError(errorNumber, operation)
        }
    }
}
