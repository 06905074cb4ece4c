// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal
import Glibc

/// The key of the mock verifiers, and the kinds of verifiers that the users file had when the key was made.
///
/// In a file, both stay together: a line `key BASE64URL`, and a line `kind ITERATIONS SALT-BYTES SUBJECT COUNT` for each kind.
struct ServerMocks: Sendable {
    let key: SecretBytes
    let kinds: [SCRAM.MockVerifiers.Kind]

    /// The maximum size of a file.
    private static let maximumByteCount = 1 << 20

    /// Makes a key unless one is given.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of the users' verifiers.
    ///   - key: The key.
    /// - Throws: `SecretMemoryError` if there is no memory for the key.
    init(of kinds: [SCRAM.MockVerifiers.Kind], key: SecretBytes? = nil) throws(SecretMemoryError) {
        if let key {
            self.key = key
        } else {
            self.key = try SecretBytes(randomByteCount: SCRAMMechanism.keyByteCount)
        }
        self.kinds = Self.orRecommended(kinds)
    }

    private static func orRecommended(_ kinds: [SCRAM.MockVerifiers.Kind]) -> [SCRAM.MockVerifiers.Kind] {
        kinds.isEmpty ? [.init(iterations: SCRAM.Iterations.recommended.count)] : kinds
    }

    /// Returns whether the users have the same kinds, in any shares.
    ///
    /// - Parameters:
    ///   - others: The kinds of the users' verifiers.
    ///   - statesSubject: Whether clients see what a verifier was made of.
    /// - Returns: Whether no request shows by its kind alone that a user exists.
    func matches(_ others: [SCRAM.MockVerifiers.Kind], statesSubject: Bool) -> Bool {
        func visible(_ kinds: [SCRAM.MockVerifiers.Kind]) -> Set<SCRAM.MockVerifiers.Kind> {
            Set(
                kinds.map { kind in
                    var kind = kind
                    kind.count = 1
                    if !statesSubject { kind.subject = .password }
                    return kind
                }
            )
        }
        return visible(kinds) == visible(Self.orRecommended(others))
    }

    /// Reads a file. If there is none, makes what can be written to it.
    static func kept(in file: FileArgument, kinds: [SCRAM.MockVerifiers.Kind]) throws -> ServerMocks {
        guard exists(file) else {
            try NewSecretFile.checkPlace(of: file)
            return try ServerMocks(of: kinds)
        }
        let bytes = try ServerFile.read(file, upTo: maximumByteCount)
        return try ServerMocks(parsing: bytes, named: file.quotedForMessage)
    }

    init(parsing bytes: [UInt8], named name: String) throws {
        // The message must not contain the line: it holds the key.
        func failure(_ number: Int) -> CommandFailure {
            CommandFailure(
                .malformed,
                "\(name): line \(number + 1): neither a key nor a kind of mock verifiers"
            )
        }
        var key: SecretBytes?
        var kinds: [SCRAM.MockVerifiers.Kind] = []
        for (number, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        where !line.isEmpty && line.first != UInt8(ascii: "#") {
            let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            switch (fields.first, fields.count) {
            case ("key", 2) where key == nil:
                guard let bytes = try? Base64.urlSafe.unpadded.decode(fields[1]), bytes.count == 32 else {
                    throw failure(number)
                }
                key = try SecretBytes(bytes)
            case ("kind", 5):
                guard let iterations = Int(fields[1]), let salt = Int(fields[2]), let count = Int(fields[4]),
                    let subject = SCRAM.VerifierSubject(rawValue: fields[3])
                else { throw failure(number) }
                kinds.append(
                    .init(iterations: iterations, saltByteCount: salt, subject: subject, count: count)
                )
            default: throw failure(number)
            }
        }
        guard let key else { throw CommandFailure(.malformed, "\(name): there is no key in it") }
        do throws(SCRAM.Error) {
            _ = try SCRAM.MockVerifiers(key: key, kinds: kinds)
        } catch {
            throw CommandFailure(.malformed, "\(name): \(error)")
        }
        self.key = key
        self.kinds = kinds
    }

    /// Returns whether there is a file.
    static func exists(_ file: FileArgument) -> Bool {
        guard file.descriptor == nil else { return true }
        do throws(FileError) {
            _ = try InputFile(file)
            return true
        } catch {
            // A file that cannot be read is one that exists.
            return error.errorNumber != ENOENT
        }
    }

    /// Writes a new file.
    func write(to file: FileArgument) throws(CommandFailure) {
        try NewSecretFile.write(Array(text.utf8), to: file)
    }

    /// The content of a file.
    var text: String {
        var text = "# The key of mock verifiers: keep it as long as the users file, and private.\n"
        text += key.withSecretBytes { key in
            "key \(Base64.urlSafe.unpadded.encode(key.indices.map { key[$0] }))\n"
        }
        for kind in kinds {
            text += "kind \(kind.iterations) \(kind.saltByteCount) \(kind.subject.rawValue) \(kind.count)\n"
        }
        return text
    }
}
