// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// Limits how much of a TLS connection is read in one iteration of the curl thread.
///
/// libcurl reads an HTTP/2 connection until no bytes are left. A peer that sends frames as fast as they are
/// read would occupy the thread, and block every transfer of the process. A filter below TLS prevents this:
/// after the limit it reports that there are no more bytes for now. The socket is still readable, so the next
/// iteration continues after all other connections had their turn.
enum ReadBudget {
    /// The maximum number of bytes to read per iteration.
    static let byteCount: UInt32 = 128 << 10

    /// Returns a filter in front of the source of a TLS connection, with its own reference to the source;
    /// `nil` if the filter is already there, or there is not enough memory.
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

    /// Never changed after its creation, and never freed.
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

    /// How much a connection has read in an iteration, stored in the bits of the filter's only pointer.
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
