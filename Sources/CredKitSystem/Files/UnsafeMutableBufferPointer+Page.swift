// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension UnsafeMutableBufferPointer<UInt8> {
    /// Allocates memory for reading files and pipes, at the start of a page.
    ///
    /// The system copies from the start of a page. AMD's processors copy up to five times slower to an address that is a few
    /// bytes into one, which is where `malloc` puts large blocks.
    package static func allocateOnPage(byteCount: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 4096)
        let bytes = unsafe memory.bindMemory(to: UInt8.self, capacity: byteCount)
        return unsafe UnsafeMutableBufferPointer(start: bytes, count: byteCount)
    }
}
