// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// HMAC ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104)) over any hash function.
package struct HMAC<Function: DigestAlgorithm>: Sendable {
    package typealias Code = Function.Digest

    private let key: Key
    private var inner: Function

    /// Creates a computation for an empty message.
    package init(key: Key) {
        self.key = key
        inner = key.states.inner
    }

    /// Appends bytes to the message.
    package mutating func update(_ bytes: Span<UInt8>) {
        inner.update(bytes)
    }

    /// Returns the code of the message so far. More bytes can be appended afterwards.
    package func finalize() -> Code {
        Self.finish(inner, key)
    }

    /// Returns the code of the message and wipes the state. The value must not be used afterwards.
    package mutating func finalizeAndWipe() -> Code {
        defer { inner.wipe() }
        return finalize()
    }

    /// Returns the code of a whole message.
    package static func authenticationCode(for message: Span<UInt8>, using key: Key) -> Code {
        var inner = key.states.inner
        inner.update(message)
        return finish(inner, key)
    }

    private static func finish(_ inner: consuming Function, _ key: Key) -> Code {
        // A state after the padded key is as good as the key to an attacker who reads it, so it is wiped.
        let digest = inner.finalizeAndWipe()
        var outer = key.states.outer
        outer.update(data: digest)
        return outer.finalizeAndWipe()
    }
}

extension HMAC: CustomStringConvertible, CustomReflectable {
    /// The name, without the message.
    package var description: String { "‹HMAC-\(Function.name)›" }

    /// A mirror without children: dumping a computation reveals nothing of key and message.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension HMAC {
    /// A key with precomputed states.
    ///
    /// The states of the hash function after the padded key, one for the inner and one for the outer hash, are shared
    /// by all copies and wiped with the last copy.
    package struct Key: Sendable {
        let states: States

        /// Prepares a key of any length; RFC 2104 recommends one as long as the digest.
        package init(_ secret: some SecretInput) {
            self = secret.withSecretBytes { Key($0) }
        }

        init(_ bytes: Span<UInt8>) {
            states = States(key: bytes)
        }
    }

    /// The two states, in their own memory that is wiped when it is freed. Nothing changes them before that.
    @safe
    final class States: @unchecked Sendable {
        private let memory: UnsafeMutablePointer<Function>

        var inner: Function { unsafe memory[0] }
        var outer: Function { unsafe memory[1] }

        /// Calls `body` with the inner and the outer state, which are contiguous.
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
