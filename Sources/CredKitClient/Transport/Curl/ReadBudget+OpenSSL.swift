// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// Bounds how much of a TLS connection is read in one turn of the curl thread.
///
/// libcurl reads an HTTP/2 connection until nothing is left to read. A peer that sends frames as fast as they are read would
/// hold the thread, and with it every transfer of the process. A filter below TLS ends that: after so many bytes it answers
/// that there are no more for now. The socket is still readable, so that the next turn goes on, after all others had theirs.
enum ReadBudget {
    /// The most bytes that one turn reads.
    static let byteCount: UInt32 = 128 << 10

    /// The filter in front of what a TLS connection reads from, with a reference of its own to it; `nil` if the filter is
    /// there already, or there is no memory for it.
    static func filter(before source: OpaquePointer) -> OpaquePointer? {
        guard unsafe BIO_method_type(source) != type, let method = unsafe method,
            let filter = unsafe BIO_new(method)
        else { return nil }
        guard unsafe BIO_up_ref(source) == 1 else {
            unsafe BIO_free_all(filter)
            return nil
        }
        return unsafe BIO_push(filter, source)
    }

    private static let type = BIO_get_new_index() | BIO_TYPE_FILTER

    /// Never changed once it is made, and never freed.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = unsafe BIO_meth_new(type, "CredKit read budget") else { return nil }
        unsafe BIO_meth_set_create(method) { filter in
            unsafe BIO_set_init(filter, 1)
            return 1
        }
        unsafe BIO_meth_set_read(method) { filter, bytes, count in
            unsafe ReadBudget.read(filter, bytes, count)
        }
        unsafe BIO_meth_set_ctrl(method) { filter, command, number, pointer in
            unsafe BIO_ctrl(BIO_next(filter), command, number, pointer)
        }
        return unsafe method
    }()

    private static let retryFlags =
        BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY

    private static func read(_ filter: OpaquePointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int32)
        -> Int32
    {
        unsafe BIO_clear_flags(filter, retryFlags)
        var spent = unsafe Spent(UInt(bitPattern: BIO_get_data(filter)))
        spent.enter(CurlLoop.shared.turn)
        guard spent.byteCount < byteCount else {
            unsafe BIO_set_flags(filter, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            return -1
        }
        let most = Int32(clamping: byteCount - spent.byteCount)
        let readCount = unsafe BIO_read(BIO_next(filter), bytes, min(count, most))
        unsafe BIO_copy_next_retry(filter)
        if readCount > 0 { spent.byteCount += UInt32(readCount) }
        unsafe BIO_set_data(filter, UnsafeMutableRawPointer(bitPattern: spent.bits))
        return readCount
    }

    /// What a connection has had of a turn, in the bits of the one pointer that a filter keeps.
    private struct Spent {
        private var turn: UInt32
        var byteCount: UInt32

        init(_ bits: UInt) {
            turn = UInt32(truncatingIfNeeded: bits >> 32)
            byteCount = UInt32(truncatingIfNeeded: bits)
        }

        var bits: UInt { UInt(turn) << 32 | UInt(byteCount) }

        mutating func enter(_ turn: UInt32) {
            guard turn != self.turn else { return }
            (self.turn, byteCount) = (turn, 0)
        }
    }
}
