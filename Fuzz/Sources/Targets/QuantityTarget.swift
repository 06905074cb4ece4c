// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitClient
@testable import CredKitCommand
@testable import CredKitTerminal

extension FuzzTarget {
    /// Feeds durations, sizes, offsets, file names, proxies and other short texts of the command line.
    static let quantities = FuzzTarget("quantities") { bytes in
        try QuantityProperties.checkArithmetic(bytes)
        try requireEqual(RawArguments.encode(RawArguments.decode(bytes)), bytes, "a file name is the same")
        guard let text = String(input: bytes) else { return }
        if let time = TimeArgument(argument: text) {
            try require(
                time.duration > .zero && time.duration <= .seconds(31_622_400),
                "a time is limited: \(text)"
            )
        }
        if let size = MemorySizeArgument(argument: text) {
            try require(size.kibibytes > 0, "a size is positive: \(text)")
            try requireEqual(
                MemorySizeArgument(argument: "\(size)")?.kibibytes,
                size.kibibytes,
                "a size is the same"
            )
        }
        if let offset = TimeOffsetArgument(argument: text) {
            try require(abs(offset.minutes) <= 24 * 60, "an offset is limited: \(text)")
            try requireEqual(
                TimeOffsetArgument(argument: "\(offset)")?.minutes,
                offset.minutes,
                "an offset is the same"
            )
        }
        try QuantityProperties.checkProxy(text)
        try require(
            TerminalSafeText.text(text, upTo: 1000).isTerminalSafe,
            "a shown text is safe on a terminal"
        )
        try require(ShellQuoting.quote(bytes).isTerminalSafe, "a quoted name is safe on a terminal")
    }
}

private enum QuantityProperties {
    /// Arithmetic stays within the range of the types.
    static func checkArithmetic(_ bytes: [UInt8]) throws {
        guard bytes.count >= 16 else { return }
        let numbers = [0, 8].map { start in
            bytes[start..<start + 8].reduce(Int64(0)) { $0 << 8 | Int64($1) } >> Int64(bytes[15] % 60)
        }
        let (left, right) = (UnixTime(numbers[0]), UnixTime(numbers[1]))
        let difference = left - right
        try requireEqual(left < right, difference < .zero, "a difference has the sign of the order")
        let sum = right + difference
        if sum.seconds != .max && sum.seconds != .min && abs(difference / .seconds(1)) < 1e18 {
            try requireEqual(sum, left, "a difference leads back")
        }
        try require(
            (left + .seconds(Int64.max)) >= left && (left - .seconds(Int64.max)) <= left,
            "sums saturate"
        )
        let sizes = numbers.map { MemorySize.kibibytes(Int($0)) }
        try require(sizes.allSatisfy { $0.bytes >= 0 }, "a size is not negative")
        try requireEqual(
            sizes[0] < sizes[1],
            max(0, numbers[0]) < max(0, numbers[1]) && sizes[0] != sizes[1],
            "order"
        )
        try checkSize(numbers[0].magnitude)
        _ = "\(left)\(sizes[0])\(Duration(clampingSeconds: Double(numbers[0]) * 1e9))"
    }

    /// A size beyond the range of the type is refused.
    private static func checkSize(_ number: UInt64) throws {
        for (unit, shift) in [("KiB", 0), ("MiB", 10), ("GiB", 20)] as [(String, UInt64)] {
            let (high, low) = number.multipliedFullWidth(by: 1 << shift)
            let expected = high == 0 && 1..<1 << 40 ~= low ? Int(low) : nil
            let size = MemorySizeArgument(argument: "\(number)\(unit)")
            try requireEqual(size?.kibibytes, expected, "the size \(number)\(unit)")
        }
    }

    static func checkProxy(_ text: String) throws {
        guard let proxy = try? ProxyText(text) else { return }
        try require(!proxy.host.isEmpty && proxy.port > 0, "a proxy has a host and a port: \(text)")
        try requireEqual(
            try? HostText.canonical(Substring(proxy.host)),
            proxy.host,
            "a host is canonical: \(text)"
        )
        let list = NoProxyList(text)
        _ = list.contains(proxy.host)
        try require(
            NoProxyList(proxy.host).contains(proxy.host),
            "a list of a host contains it: \(proxy.host)"
        )
    }
}
