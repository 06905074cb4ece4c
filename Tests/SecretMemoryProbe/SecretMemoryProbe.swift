// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Glibc

/// Uses guarded memory in ways that a test process cannot: under resource limits, and until it crashes.
@main
struct SecretMemoryProbe {
    static func main() throws {
        switch CommandLine.arguments.dropFirst().first {
        case "lock-limit": try lockLimit()
        case "address-space": try addressSpace()
        case "overrun": try overrun()
        default: exit(64)
        }
    }

    /// Creates more secrets than may be locked.
    private static func lockLimit() throws {
        let secrets = try (0..<10_000).map { try SecretBytes([UInt8](repeating: UInt8($0 % 251), count: 32)) }
        let areIntact = secrets.enumerated().allSatisfy { number, secret in
            secret.withSecretBytes { span in span.indices.allSatisfy { span[$0] == UInt8(number % 251) } }
        }
        let status = SecretMemory.status
        let agree = secrets.allSatisfy(\.isLocked) == status.isFullyLocked
        print(
            status.locked.bytes == 0 ? "locked 0" : "some locked",
            status.unlocked.bytes == 0 ? "unlocked 0" : "some unlocked",
            areIntact && agree ? "all intact" : "damaged",
            separator: ", "
        )
    }

    /// Creates secrets until the memory is exhausted, releases them, and creates another one.
    private static func addressSpace() throws {
        var limit = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
        guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { exit(70) }
        var secrets: [SecretBytes] = []
        var wasThrown = false
        do throws(SecretMemoryError) {
            for _ in 0..<2000 { secrets.append(try SecretBytes(randomByteCount: 1 << 20)) }
        } catch {
            wasThrown = true
        }
        secrets.removeAll()
        let another = try SecretBytes(randomByteCount: 1 << 20)
        print(
            wasThrown ? "thrown" : "not thrown",
            another.count == 1 << 20 ? "then recovered" : "then lost",
            separator: ", "
        )
    }

    /// Reads past the end of a region.
    private static func overrun() throws {
        let secret = try SecretBytes(randomByteCount: 100_000)
        let byte = secret.withSecretBytes { span in
            span.withUnsafeBufferPointer { UnsafePointer($0.baseAddress)?[100_000] ?? 0 }
        }
        print("read \(byte)")
    }
}
