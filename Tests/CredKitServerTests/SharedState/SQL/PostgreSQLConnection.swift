// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import Foundation

/// One connection of a small client of PostgreSQL over a Unix socket, without passwords. Only one thread uses it.
final class PostgreSQLConnection: @unchecked Sendable {
    private let path: String
    private let role: String
    private var descriptor: Int32 = -1
    private var input: [UInt8] = []

    init(path: String, role: String) {
        self.path = path
        self.role = role
    }

    deinit { close() }

    private func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        input = []
    }

    /// Runs a statement in the extended protocol, and waits until it is committed.
    func run(_ text: String, _ parameters: [SQLValue], within limit: Duration) throws -> [[SQLValue]] {
        let end = ContinuousClock.now + limit
        do {
            if descriptor < 0 { try connect(end) }
            var bind: [UInt8] = [0, 0] + Self.int16(parameters.count)
            for parameter in parameters {
                if case .bytes = parameter { bind += [0, 1] } else { bind += [0, 0] }
            }
            bind += Self.int16(parameters.count)
            for parameter in parameters {
                switch parameter {
                case .null: bind += Self.int32(-1)
                case .integer(let number): bind += Self.counted(Array("\(number)".utf8))
                case .text(let text): bind += Self.counted(Array(text.utf8))
                case .bytes(let bytes): bind += Self.counted(bytes)
                }
            }
            try send(
                Self.message("P", [0] + Array(text.utf8) + [0, 0, 0]) + Self.message("B", bind + [0, 0])
                    + Self.message("D", Array("P".utf8) + [0]) + Self.message("E", [0, 0, 0, 0, 0])
                    + Self.message("S", [])
            )
            return try rows(end)
        } catch let error as SharedStateError {
            if [.timedOut, .disconnected].contains(error.code) { close() }
            throw error
        }
    }

    private func connect(_ end: ContinuousClock.Instant) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw SharedStateError(.disconnected) }
        let start = Self.int32(196_608) + Array("user\0postgres\0database\0postgres\0\0".utf8)
        try send(Self.int32(start.count + 4) + start)
        _ = try rows(end)
        try send(Self.message("Q", Array("SET SESSION AUTHORIZATION \(role)".utf8) + [0]))
        _ = try rows(end)
    }

    /// Reads messages until the server is ready for the next statement.
    private func rows(_ end: ContinuousClock.Instant) throws -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        var types: [Int] = []
        var failure: SharedStateError?
        while true {
            let (kind, body) = try next(end)
            switch kind {
            case UInt8(ascii: "T"): types = Self.types(body)
            case UInt8(ascii: "D"): rows.append(Self.row(body, types))
            case UInt8(ascii: "E"): failure = Self.failure(body)
            case UInt8(ascii: "Z"):
                if let failure { throw failure }
                return rows
            default: break
            }
        }
    }

    private func next(_ end: ContinuousClock.Instant) throws -> (UInt8, [UInt8]) {
        while true {
            if input.count >= 5 {
                let length = Self.number(input[1..<5])
                if input.count > length {
                    defer { input.removeFirst(length + 1) }
                    return (input[0], Array(input[5..<length + 1]))
                }
            }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let rest = ContinuousClock.now.duration(to: end)
            guard rest > .zero, Glibc.poll(&poll, 1, Int32(rest / .milliseconds(1)) + 1) > 0 else {
                throw SharedStateError(.timedOut)
            }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw SharedStateError(.disconnected) }
            input += buffer.prefix(count)
        }
    }

    private func send(_ bytes: [UInt8]) throws {
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count == bytes.count else { throw SharedStateError(.disconnected) }
    }

    // MARK: Messages

    private static func int32(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    private static func int16(_ number: Int) -> [UInt8] { Array(int32(number)[2...]) }
    private static func counted(_ bytes: [UInt8]) -> [UInt8] { int32(bytes.count) + bytes }
    private static func message(_ kind: Character, _ body: [UInt8]) -> [UInt8] {
        Array("\(kind)".utf8) + int32(body.count + 4) + body
    }
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func types(_ body: [UInt8]) -> [Int] {
        var rest = body[2...]
        return (0..<number(body[..<2])).map { _ in
            rest = rest.drop { $0 != 0 }.dropFirst()
            defer { rest = rest.dropFirst(18) }
            return number(rest.dropFirst(6).prefix(4))
        }
    }

    private static func row(_ body: [UInt8], _ types: [Int]) -> [SQLValue] {
        var rest = body[2...]
        return types.map { type in
            let length = number(rest.prefix(4))
            rest = rest.dropFirst(4)
            guard length < 0xFFFF_FFFF else { return .null }
            defer { rest = rest.dropFirst(length) }
            let text = String(decoding: rest.prefix(length), as: UTF8.self)
            switch type {
            case 20: return .integer(Int64(text) ?? -1)
            case 17:
                let digits = Array(text.utf8.dropFirst(2))
                return .bytes(
                    stride(from: 0, to: digits.count, by: 2).map { index in
                        UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
                    }
                )
            default: return .text(text)
            }
        }
    }

    private static func failure(_ body: [UInt8]) -> SharedStateError {
        var (state, message) = ("", "")
        for field in body.split(separator: 0) {
            let text = String(decoding: field.dropFirst(), as: UTF8.self)
            if field.first == UInt8(ascii: "C") { state = text }
            if field.first == UInt8(ascii: "M") { message = text }
        }
        return SharedStateError(sqlState: state, message: message)
    }
}
