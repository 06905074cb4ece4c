// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitSystem
import CredKitTestSupport
import Foundation
import Testing

/// scrypt by the kernels and by OpenSSL. `script/test-kernels` compares the kernels with OpenSSL and libsodium on more
/// inputs.
@Suite struct ScryptTests {
    private static func key(
        _ password: [UInt8],
        _ salt: [UInt8],
        _ parameters: Scrypt.Parameters,
        count: Int = 32,
        _ computation: Scrypt.Computation = Scrypt.Computation(memoryLimit: .mebibytes(64))
    ) throws -> [UInt8] {
        try Scrypt.deriveKey(from: password.span, salt: salt, parameters, count: count, computation)
            .copiedBytes
    }

    private static func opensslKey(
        _ password: [UInt8],
        _ salt: [UInt8],
        _ parameters: Scrypt.Parameters,
        count: Int = 32
    ) throws -> [UInt8] {
        try Scrypt.deriveWithOpenSSL(
            from: password.span,
            salt: salt,
            parameters,
            count: count,
            memoryLimit: .mebibytes(64)
        ).copiedBytes
    }

    @Test func kernelsComputeWhatOpenSSLDoes() throws {
        for _ in 0..<(TestForm.isDeep ? 1000 : 50) {
            let password = (0..<Int.random(in: 0...100)).map { _ in UInt8.random(in: 0...255) }
            let salt = (0..<Int.random(in: 0...64)).map { _ in UInt8.random(in: 0...255) }
            let parameters = Scrypt.Parameters(
                logN: Int.random(in: 1...9),
                blockSize: Int.random(in: 1...9),
                parallelism: Int.random(in: 1...9)
            )
            let count = Int.random(in: 1...100)
            let key = try Self.key(password, salt, parameters, count: count)
            #expect(try key == Self.opensslKey(password, salt, parameters, count: count), "\(parameters)")
        }
        #expect(Scrypt.rejectedKernels == nil)
    }

    @Test func anyMemoryWithinTheLimitGivesTheSameKey() throws {
        let parameters = Scrypt.Parameters(logN: 8, blockSize: 8, parallelism: 7)
        let expected = try Self.opensslKey([1], [2], parameters)
        for lanes in 1...5 {
            let byteCount = parameters.memoryByteCount(lanes: lanes)
            for computation in [
                Scrypt.Computation(memoryLimit: .bytes(byteCount)),
                Scrypt.Computation(memoryLimit: .bytes(byteCount), keepsMemory: false),
                Scrypt.Computation(memoryLimit: .bytes(byteCount), usesSpareMemory: false),
            ] {
                #expect(try Self.key([1], [2], parameters, computation) == expected)
                let used = Scrypt.laneCount(parameters, computation)
                #expect(used <= (computation.usesSpareMemory ? lanes : 1))
            }
        }
        let tooLittle = Scrypt.Computation(memoryLimit: .bytes(parameters.memoryByteCount(lanes: 1) - 1))
        #expect(throws: KeyDerivationError.overLimit("scrypt needs more memory than is allowed")) {
            try Self.key([1], [2], parameters, tooLittle)
        }
    }

    @Test func largeBlocksAreComputedByOpenSSL() throws {
        for (blockSize, parallelism) in [(2048, 1), (2049, 1), (8, 256), (8, 257), (1, 2049)] {
            let parameters = Scrypt.Parameters(logN: 2, blockSize: blockSize, parallelism: parallelism)
            let computation = Scrypt.Computation(memoryLimit: .mebibytes(64))
            #expect(try Self.key([1], [2], parameters) == Self.opensslKey([1], [2], parameters))
            if blockSize > 2048 || blockSize * parallelism > 2048 {
                #expect(Scrypt.laneCount(parameters, computation) == 0)
            }
        }
    }

    @Test func interruptionEndsAComputation() throws {
        let parameters = Scrypt.Parameters(logN: 16, blockSize: 8, parallelism: 1 << 8)
        let interruption = Interruption()
        let computation = Scrypt.Computation(memoryLimit: .mebibytes(256), interruption: interruption)
        // OpenSSL would compute for minutes.
        guard Scrypt.laneCount(parameters, computation) > 0 else { return }
        Thread { interruption.raise() }.start()
        #expect(throws: KeyDerivationError.cancelled) { try Self.key([1], [2], parameters, computation) }
        #expect(throws: KeyDerivationError.cancelled) { try Self.key([1], [2], parameters, computation) }
    }

    @Test func aServiceTakesTheMemoryOfOneComputation() {
        let context = PasswordContext()
        #expect(context.context.scrypt.usesSpareMemory && context.context.scrypt.keepsMemory)
        let service = PasswordContext(context, interruption: Interruption())
        #expect(!service.context.scrypt.usesSpareMemory && !service.context.scrypt.keepsMemory)
    }

    @Test func nothingRemainsOfPasswordsThatWereHashed() throws {
        for number in 0..<50 {
            _ = try Self.key(
                Array("marker \(number)".utf8),
                [7],
                Scrypt.Parameters(logN: 6, blockSize: 8, parallelism: 4)
            )
            // Another test of this process may use the memory meanwhile, but then it is not idle.
            let isWiped = Argon2Arenas.shared.state.withLock { state in
                state.idle.allSatisfy { idle in
                    UnsafeBufferPointer(start: idle.arena.start, count: idle.arena.byteCount).allSatisfy {
                        $0 == 0
                    }
                }
            }
            #expect(isWiped)
        }
    }
}
