// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// HMAC ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104)) over any hash function.
package struct HMAC<Function: DigestAlgorithm>: Sendable {
    package typealias Code = Function.Digest

    private let key: Key
    private var inner: Function

    /// A code that nothing has been fed to.
    package init(key: Key) {
        self.key = key
        inner = key.states.inner
    }

    /// Feeds the next bytes of the message.
    package mutating func update(_ bytes: Span<UInt8>) {
        inner.update(bytes)
    }

    /// The code of all that was fed so far. More can be fed afterwards.
    package func finalize() -> Code {
        Self.finish(inner, key)
    }

    /// The code of all that was fed, leaving no trace of it. Afterwards the code is of no further use.
    package mutating func finalizeAndWipe() -> Code {
        defer { inner.wipe() }
        return finalize()
    }

    /// The code of a whole message.
    package static func authenticationCode(for message: Span<UInt8>, using key: Key) -> Code {
        var inner = key.states.inner
        inner.update(message)
        return finish(inner, key)
    }

    private static func finish(_ inner: consuming Function, _ key: Key) -> Code {
        // A state that follows the padded key is as good as the key to whoever reads it, hence the wiping.
        let digest = inner.finalizeAndWipe()
        var outer = key.states.outer
        outer.update(data: digest)
        return outer.finalizeAndWipe()
    }
}

extension HMAC: CustomStringConvertible, CustomReflectable {
    /// The name, and nothing of what was fed.
    package var description: String { "‹HMAC-\(Function.name)›" }

    /// A mirror without children: dumping a code shows nothing of key and message.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension HMAC {
    /// A key, with the work that each code would otherwise repeat done once.
    ///
    /// What is kept is the hash function's state behind the padded key, once for the inner and once for the
    /// outer hash, shared by all copies and wiped with the last of them.
    package struct Key: Sendable {
        let states: States

        /// Prepares a key of any length; RFC 2104 advises one as long as the digest.
        package init(_ secret: some SecretInput) {
            self = secret.withSecretBytes { Key($0) }
        }

        init(_ bytes: Span<UInt8>) {
            states = States(key: bytes)
        }
    }

    /// The two states, in memory of their own that is wiped at the end. Nothing changes them before that.
    @safe
    final class States: @unchecked Sendable {
        private let memory: UnsafeMutablePointer<Function>

        var inner: Function { unsafe memory[0] }
        var outer: Function { unsafe memory[1] }

        /// Calls `body` with the inner and the outer state, one behind the other.
        func withMemory(_ body: (UnsafePointer<Function>) -> Void) { unsafe body(UnsafePointer(memory)) }

        init(key: Span<UInt8>) {
            unsafe memory = .allocate(capacity: 2)
            unsafe memory.initialize(repeating: Function(), count: 2)
            let block = Function.blockByteCount
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * block) { buffer in
                unsafe buffer.initialize(repeating: 0)
                defer { unsafe Wiping.wipe(buffer) }
                // A key longer than a block is replaced by its digest.
                if key.count > block {
                    var function = Function()
                    function.update(key)
                    for (index, byte) in function.finalizeAndWipe().enumerated() {
                        unsafe buffer[index] = byte
                    }
                } else {
                    for index in key.indices { unsafe buffer[index] = key[index] }
                }
                for index in 0..<block {
                    unsafe buffer[block + index] = buffer[index] ^ 0x5C
                    unsafe buffer[index] ^= 0x36
                }
                unsafe memory[0].update(buffer.extracting(..<block).span)
                unsafe memory[1].update(buffer.extracting(block...).span)
            }
        }

        deinit {
            unsafe memory[0].wipe()
            unsafe memory[1].wipe()
            unsafe memory.deinitialize(count: 2)
            unsafe memory.deallocate()
        }
    }
}
