// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CConstantTime
internal import CredKit

/// A function whose time is measured over two classes of inputs.
struct Contender {
    typealias Prepare = @convention(c) (UnsafeMutablePointer<UInt8>?, Int, Bool) -> Void
    typealias Run = @convention(c) (UnsafePointer<UInt8>?, Int) -> Void

    let name: String
    /// Whether its time must be equal for both classes; otherwise it must differ.
    let isConstant: Bool
    let measured: ct_contender

    /// CredKit's functions with warm and cold caches, and planted ones.
    static let all: [Contender] = [false, true].flatMap { own(isCold: $0) + planted(isCold: $0) }

    private static func own(isCold: Bool) -> [Contender] {
        [
            Contender("decode 64 characters", 64, ct_prepare_text, decode, isCold: isCold),
            Contender("decode 1024 characters", 1024, ct_prepare_text, decode, isCold: isCold),
            Contender("encode 48 bytes", 48, ct_prepare_bytes, encode, isCold: isCold),
            Contender("compare 32 bytes", 2 * 32, ct_prepare_pair, compare, isCold: isCold),
            Contender("compare 1024 bytes", 2 * 1024, ct_prepare_pair, compare, isCold: isCold),
            Contender("HMAC-MD5 of 64 bytes", 64, ct_prepare_bytes, authenticate, isCold: isCold),
        ]
    }

    /// The functions that must show a difference.
    private static func planted(isCold: Bool) -> [Contender] {
        [
            planted(
                "table-driven decoder, 1024 characters",
                1024,
                ct_prepare_text,
                ct_run_table_decode,
                isCold
            ),
            planted(
                "early-exit compare, 32 bytes",
                2 * 32,
                ct_prepare_pair,
                ct_run_early_exit_compare,
                isCold
            ),
        ]
    }

    private static func planted(
        _ name: String,
        _ length: Int,
        _ prepare: @escaping Prepare,
        _ run: @escaping Run,
        _ isCold: Bool
    ) -> Contender {
        Contender(name, length, prepare, run, isCold: isCold, isConstant: false)
    }

    private init(
        _ name: String,
        _ length: Int,
        _ prepare: @escaping Prepare,
        _ run: @escaping Run,
        isCold: Bool,
        isConstant: Bool = true
    ) {
        self.name = name + (isCold ? ", cold" : "")
        self.isConstant = isConstant
        measured = ct_contender(length: length, is_cold: isCold, prepare: prepare, run: run)
    }
}

extension Contender {
    nonisolated(unsafe) private static let output = Memory(count: 4096)
    nonisolated(unsafe) private static var answer = false
    private static let key = Legacy.HMACMD5.Key("a key")

    private static let decode: Run = { input, length in
        let text = UnsafeBufferPointer(start: input, count: length).span
        guard (try? output.write { try Base64.standard.decode(text, into: &$0) }) != nil else {
            complain("a valid text was not decoded")
        }
    }

    private static let encode: Run = { input, length in
        let bytes = UnsafeBufferPointer(start: input, count: length).span
        _ = output.write { Base64.standard.encode(bytes, into: &$0) }
    }

    private static let compare: Run = { input, length in
        let pair = UnsafeBufferPointer(start: input, count: length).span
        let half = length / 2
        answer = ConstantTime.areEqual(pair.extracting(..<half), pair.extracting(half...))
    }

    private static let authenticate: Run = { input, length in
        let message = UnsafeBufferPointer(start: input, count: length).span
        let code = Legacy.HMACMD5.authenticationCode(for: message, using: key)
        answer = code.isEmpty
    }
}
