// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// Compares HMAC-MD5 of a short password under a prepared key, which is the main work of a legacy login server, and MD5
/// and HMAC-MD5 of many short messages at once.
struct MD5Comparisons {
    private let options: Options
    /// A sample takes 2 ms, so many rounds are cheap. Their quartiles are some percent from the median.
    private let rounds = 101
    private let message = Array("correct horses".utf8)

    init(_ options: Options) {
        self.options = options
    }

    func measure() throws -> [Outcome] {
        let file = try InputFile()
        defer { file.remove() }
        let data = Array(try InputFile.read(file.path)[..<message.count])
        let paths = try KernelPath.allCases.filter(\.isSupported).map { try CoProcess($0, data: file.path) }
        return [
            try single().measure(),
            try batch(paths, data, "md5-batch", "MD5") { message, count, digest in
                baseline_md5(message, message.count, count, digest)
            },
            try batch(paths, data, "hmac-batch", "HMAC-MD5, prepared key,") { message, count, digest in
                baseline_hmac_md5_prepared(
                    Workload.key,
                    Workload.key.count,
                    message,
                    message.count,
                    count,
                    digest
                )
            },
        ]
    }

    private func single() throws -> Comparison {
        let key = Workload.key
        let prepared = Legacy.HMACMD5.Key(key)
        let expected = Array(Legacy.HMACMD5.authenticationCode(for: message, using: prepared))
        let names = [
            "Legacy.HMACMD5, prepared key", "OpenSSL's low-level calls in C, prepared states",
            "OpenSSL's one-shot HMAC() in C",
        ]
        let alternatives = [baseline_hmac_md5_prepared, baseline_hmac_md5_oneshot]
        return Comparison(
            id: "hmac-md5",
            title: "HMAC-MD5 of \(message.count) bytes",
            contenders: [
                Contender(names[0], byteCount: 0) { iterations in
                    for _ in 0..<iterations {
                        Self.sink ^= Legacy.HMACMD5.authenticationCode(for: message, using: prepared)[0]
                    }
                }
            ]
                + zip(names.dropFirst(), alternatives).map { name, function in
                    Contender(name, byteCount: 0) { iterations in
                        var digest = [UInt8](repeating: 0, count: 16)
                        function(key, key.count, message, message.count, iterations, &digest)
                        guard digest == expected else {
                            throw Failure(description: "\(name) gives another code")
                        }
                    }
                },
            claims: [
                .time("hmac-md5-prepared-openssl", names[0], names[1], atMost: 1.05),
                .speed("hmac-md5-prepared-oneshot", names[0], names[2], atLeast: 4),
            ],
            rounds: rounds
        )
    }

    /// Compares sixteen messages at once with OpenSSL, which hashes them one after the other.
    private func batch(
        _ paths: [CoProcess],
        _ data: [UInt8],
        _ operation: String,
        _ title: String,
        _ openssl: @escaping ([UInt8], Int, UnsafeMutablePointer<UInt8>) -> Void
    ) throws -> Outcome {
        // All contenders must return the same result before their speed is compared.
        let messages = Workload.messages(of: data)
        let arrays = operation + "-arrays"
        let expected = messages.flatMap { message in
            var digest = [UInt8](repeating: 0, count: 16)
            openssl(message, 1, &digest)
            return digest
        }
        for path in paths {
            for operation in [operation, arrays] {
                guard try path.ask("check \(operation) \(data.count)") == Legacy.MD5.hash(data: expected).hex
                else {
                    throw Failure(description: "\(path.name): \(operation) gives other digests")
                }
            }
        }

        let against = "OpenSSL's low-level calls in C, one message after the other"
        return try Comparison(
            id: operation,
            title: "\(title) of \(messages.count) messages of \(data.count) bytes",
            contenders: [
                Contender(against, byteCount: 0) { iterations in
                    var digest = [UInt8](repeating: 0, count: 16)
                    openssl(data, iterations * messages.count, &digest)
                    Self.sink ^= digest[0]
                }
            ]
                + paths.map { Contender($0.name, $0, operation, size: data.count, byteCount: 0) }
                + paths.map { Contender($0.name + ", [[UInt8]]", $0, arrays, size: data.count, byteCount: 0) },
            claims: KernelPath.allCases.map { path in
                let bound: Double? =
                    switch path {
                    case .avx512: 8
                    case .avx2: 3
                    case .ssse3, .portable: nil
                    }
                let ours = "CredKit with \(path.rawValue)"
                return .speed("\(operation)-\(path.rawValue)", ours, against, atLeast: bound)
            }
                + KernelPath.allCases.map { path in
                    let ours = "CredKit with \(path.rawValue), [[UInt8]]"
                    return .speed("\(operation)-arrays-\(path.rawValue)", ours, against, atLeast: nil)
                },
            rounds: rounds
        ).measureWhatIsThere()
    }

    /// Prevents the compiler from removing work whose result is unused.
    nonisolated(unsafe) private static var sink: UInt8 = 0
}
