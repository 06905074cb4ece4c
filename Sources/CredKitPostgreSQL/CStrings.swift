// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitServer

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

/// Values as PostgreSQL's protocol carries them.
extension SQLValue {
    /// Reads a value of a binary answer, whose type has this number in PostgreSQL. Other types than those of CredKit's statements
    /// are read as text.
    init(_ bytes: [UInt8], type: UInt32) {
        switch type {
        case 17: self = .bytes(bytes)
        case 20 where bytes.count == 8:
            self = .integer(Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        default: self = .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The bytes of a parameter; `nil` for `NULL`.
    var parameterBytes: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let value): Array("\(value)".utf8)
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }

    /// 1 for binary, where the length counts; 0 for text, which ends in NUL.
    var parameterFormat: Int32 { if case .bytes = self { 1 } else { 0 } }

    var parameterLength: Int32 {
        if case .bytes(let bytes) = self { Int32(clamping: bytes.count) } else { 0 }
    }

    /// Whether the value is a text that PostgreSQL would read as a shorter one.
    var hasNUL: Bool { if case .text(let text) = self { text.utf8.contains(0) } else { false } }
}
