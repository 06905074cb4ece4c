// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// Compares Base64 in memory with pybase64, which also has vector kernels, with Python's binascii, and with OpenSSL for
/// short inputs; and compares the library's kernels with each other.
struct Base64Comparisons {
    private let options: Options
    /// A sample takes 2 ms, so many rounds are cheap. Their quartiles are some percent from the median.
    private let rounds = 101

    init(_ options: Options) {
        self.options = options
    }

    func measure() throws -> [Outcome] {
        let file = try InputFile()
        defer { file.remove() }
        let data = try InputFile.read(file.path)
        let ours = try CoProcess(nil, data: file.path)
        let python = try CoProcess.python(options, data: file.path)
        let paths = try KernelPath.allCases.filter(\.isSupported).map {
            ($0, try CoProcess($0, data: file.path))
        }
        try check(data, [ours] + paths.map(\.1), python)
        let avx2 = paths.first { $0.0 == .avx2 }?.1

        let sizes = [(64 << 10, "64k", "64 KiB"), (1 << 20, "1m", "1 MiB")]
        var outcomes = try sizes.flatMap { size in
            try ["encode", "decode"].map {
                try beside(ours, avx2, python, $0, size: size.0, id: size.1, text: size.2)
                    .measureWhatIsThere()
            }
        }
        for size in [32, 64] {
            outcomes.append(try short(Array(data[..<size]), avx2, python).measureWhatIsThere())
        }
        return try outcomes + ["encode", "decode"].map { try kernels(paths, $0) }
    }

    /// All contenders must return the same result before their speed is compared.
    private func check(_ data: [UInt8], _ ours: [CoProcess], _ python: CoProcess) throws {
        for size in [0, 1, 2, 3, 31, 32, 33, 1000, 64 << 10, 1 << 20] {
            let text = try python.ask("check binascii-encode \(size)")
            let bytes = Legacy.MD5.hash(data: data[..<size]).hex
            for (process, operations) in ours.map({ ($0, ["encode", "encode-into", "encode-string"]) })
                + [(python, ["pybase64-encode"])]
            {
                for operation in operations {
                    guard try process.ask("check \(operation) \(size)") == text else {
                        throw Failure(description: "\(process.name): \(operation) of \(size) bytes is wrong")
                    }
                }
            }
            for (process, operations) in ours.map({ ($0, ["decode", "decode-into", "copy"]) })
                + [(python, ["pybase64-decode", "binascii-decode"])]
            {
                for operation in operations {
                    guard try process.ask("check \(operation) \(size)") == bytes else {
                        throw Failure(description: "\(process.name): \(operation) of \(size) bytes is wrong")
                    }
                }
            }
        }
    }

    private func beside(
        _ ours: CoProcess,
        _ avx2: CoProcess?,
        _ python: CoProcess,
        _ direction: String,
        size: Int,
        id: String,
        text: String
    ) -> Comparison {
        let isEncoding = direction == "encode"
        let array = "Base64.\(direction), a new [UInt8]"
        let arrayByAVX2 = array + ", with avx2"
        let memory = "Base64.\(direction) into memory that is there"
        let string = "Base64.encode, a new String"
        let alternative = "pybase64, a new bytes\(isEncoding ? "" : ", validating")"
        let binascii = "python's binascii\(isEncoding ? "" : ", strict")"
        let name = "base64-\(direction)-\(id)"
        let byAVX2: [Contender] = avx2.map { [Contender(arrayByAVX2, $0, direction, size: size)] } ?? []
        return Comparison(
            id: name,
            title: "Base64: \(direction == "encode" ? "encoding" : "strict decoding to") \(text)",
            contenders: [
                Contender(array, ours, direction, size: size),
                Contender(memory, ours, direction + "-into", size: size),
            ] + byAVX2 + (isEncoding ? [Contender(string, ours, "encode-string", size: size)] : []) + [
                Contender(alternative, python, "pybase64-\(direction)", size: size),
                Contender(binascii, python, "binascii-\(direction)", size: size),
                Contender("copying the bytes to a new [UInt8]", ours, "copy", size: size),
            ],
            claims: [
                .speed("\(name)-pybase64", array, alternative, atLeast: 1),
                .speed("\(name)-avx2-pybase64", arrayByAVX2, alternative, atLeast: 1),
                .speed("\(name)-into-pybase64", memory, alternative, atLeast: nil),
            ] + (isEncoding ? [.speed("\(name)-string-pybase64", string, alternative, atLeast: nil)] : []) + [
                .speed("\(name)-binascii", array, binascii, atLeast: nil)
            ],
            rounds: rounds
        )
    }

    /// Few bytes, such as a key or a token, into the caller's buffer.
    private func short(_ data: [UInt8], _ avx2: CoProcess?, _ python: CoProcess) throws -> Comparison {
        let workload = try Workload(.encodeInto, data)
        let work = Calibrated { Double(try workload.nanoseconds(iterations: $0)) / 1e9 }
        let ours = "Base64.encode into memory that is there"
        let oursByAVX2 = ours + ", with avx2"
        let openssl = "EVP_EncodeBlock in C"
        let size = data.count
        let byAVX2: [Contender] = avx2.map { [Contender(oursByAVX2, $0, "encode-into", size: size)] } ?? []
        return Comparison(
            id: "base64-encode-\(size)",
            title: "Base64: encoding \(size) bytes",
            contenders: [
                Contender(name: ours, byteCount: size) { try work.sample() }
            ] + byAVX2 + [
                Contender(openssl, byteCount: size) { iterations in
                    var text = [UInt8](repeating: 0, count: 96)
                    Self.sink ^= baseline_base64_encode(data, size, iterations, &text)
                    guard try workload.result().elementsEqual(text[..<((size + 2) / 3 * 4)]) else {
                        throw Failure(description: "EVP_EncodeBlock gives another text")
                    }
                },
                Contender("pybase64, a new bytes", python, "pybase64-encode", size: size),
            ],
            claims: [
                .speed("base64-encode-\(size)-openssl", ours, openssl, atLeast: 2),
                .speed("base64-encode-\(size)-avx2-openssl", oursByAVX2, openssl, atLeast: 2),
            ],
            rounds: rounds
        )
    }

    /// Compares the kernels of each instruction set with the portable ones.
    private func kernels(_ paths: [(KernelPath, CoProcess)], _ direction: String) throws -> Outcome {
        let claims = [KernelPath.avx512, .avx2, .ssse3].map { path in
            Claim.speed(
                "base64-\(direction)-kernels-\(path.rawValue)",
                "CredKit with \(path.rawValue)",
                "CredKit with portable",
                atLeast: path == .avx2 ? 5 : nil
            )
        }
        return try Comparison(
            id: "base64-\(direction)-kernels",
            title: "Base64: \(direction) of 64 KiB into memory that is there, by instruction set",
            contenders: paths.map { Contender($0.1.name, $0.1, direction + "-into", size: 64 << 10) },
            claims: claims,
            rounds: rounds
        ).measureWhatIsThere()
    }

    nonisolated(unsafe) private static var sink: UInt8 = 0
}
