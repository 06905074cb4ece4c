// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Arrays of C strings.
enum CStrings {
    /// Calls `body` with texts that end in NUL, and a null pointer after the last one. The copies are wiped.
    static func with<Value>(
        _ texts: [[UInt8]?],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let count = texts.reduce(0) { $0 + ($1?.count ?? 0) + 1 }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { storage in
            defer { unsafe Wiping.wipe(storage) }
            return unsafe withUnsafeTemporaryAllocation(
                of: UnsafePointer<CChar>?.self,
                capacity: texts.count + 1
            ) { pointers in
                var position = 0
                for (index, text) in texts.enumerated() {
                    guard let text else {
                        unsafe pointers.initializeElement(at: index, to: nil)
                        continue
                    }
                    // An allocation of at least one byte has an address.
                    let start = unsafe UnsafeRawPointer(storage.baseAddress.unsafelyUnwrapped) + position
                    for byte in text {
                        unsafe storage.initializeElement(at: position, to: byte)
                        position += 1
                    }
                    unsafe storage.initializeElement(at: position, to: 0)
                    position += 1
                    unsafe pointers.initializeElement(
                        at: index,
                        to: start.assumingMemoryBound(to: CChar.self)
                    )
                }
                unsafe pointers.initializeElement(at: texts.count, to: nil)
                return unsafe body(UnsafePointer(pointers.baseAddress.unsafelyUnwrapped))
            }
        }
    }
}
