// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A password in the form that libsodium expects.
enum SodiumText {
    /// Calls `body` with the bytes and their number. libsodium requires a valid pointer even for an empty password.
    static func withCharacters<Result>(
        of password: Span<UInt8>,
        _ body: (UnsafePointer<CChar>, UInt64) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: CChar(0)) { nothing in
            unsafe password.withUnsafeBytes { bytes in
                unsafe body(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? nothing,
                    UInt64(bytes.count)
                )
            }
        }
    }
}
