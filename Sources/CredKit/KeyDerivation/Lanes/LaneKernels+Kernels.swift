// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The kernels that advance lanes, and what lanes must have in common to advance together. Its pointers are to
/// constant tables of the program, so that threads can share it.
@safe
enum LaneKernels: Equatable, @unchecked Sendable {
    case pbkdf2(UnsafePointer<credkit_pbkdf2_set>)
    case shaCrypt(UnsafePointer<credkit_shacrypt_kernels>)
    case bcrypt(UnsafePointer<credkit_bcrypt_kernels>)
    case scrypt(logN: UInt32, blockSize: Int)

    /// The most computations of a core that share it.
    private static let mostComputations = 8
    /// The iterations of PBKDF2, or blocks of SHA-crypt, of all lanes together in a slice: at most 4 ms.
    private static let stepsOfSlice = 8192
    /// The rounds of bcrypt in a slice of about 1 ms.
    private static let roundsOfSlice = 16

    /// The kernels of PBKDF2; `nil` if OpenSSL must compute.
    init?(_ function: PBKDF2.Function) {
        guard let set = unsafe credkit_pbkdf2_choose(function.number) else { return nil }
        self = unsafe .pbkdf2(set)
    }

    /// The kernels of scrypt; `nil` if OpenSSL must compute.
    init?(_ parameters: Scrypt.Parameters) {
        guard Scrypt.usesKernels(parameters) else { return nil }
        self = .scrypt(logN: UInt32(parameters.logN), blockSize: parameters.blockSize)
    }

    /// The kernels of bcrypt; `nil` if libxcrypt must compute.
    static var chosenForBcrypt: LaneKernels? {
        guard let kernels = unsafe credkit_bcrypt_choose() else { return nil }
        return unsafe .bcrypt(kernels)
    }

    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.pbkdf2(let left), .pbkdf2(let right)): unsafe left == right
        case (.shaCrypt(let left), .shaCrypt(let right)): unsafe left == right
        case (.bcrypt, .bcrypt): true
        case (.scrypt(let left, let leftSize), .scrypt(let right, let rightSize)):
            left == right && leftSize == rightSize
        default: false
        }
    }

    /// Whether lanes must start at the same time, and advance to their ends at once.
    var startsTogether: Bool {
        if case .scrypt = self { true } else { false }
    }

    /// Returns how many of a number of lanes advance in one slice.
    func laneCount(of candidates: Int) -> Int {
        switch self {
        case .pbkdf2: min(candidates, Int(CREDKIT_PBKDF2_LANES))
        case .shaCrypt: min(candidates, Int(CREDKIT_SHACRYPT_LANES))
        case .bcrypt: max(1, credkit_bcrypt_best_lanes(candidates))
        case .scrypt: max(1, credkit_scrypt_best_lanes(candidates))
        }
    }

    /// Advances lanes by a slice.
    func advance(_ lanes: [LaneMemory]) {
        let count = lanes.count
        switch self {
        case .pbkdf2(let set):
            let lanes = unsafe lanes.map { unsafe $0.start.assumingMemoryBound(to: credkit_pbkdf2_lane.self) }
            unsafe credkit_pbkdf2_advance(set, lanes, count, UInt32(Self.stepsOfSlice / count))
        case .shaCrypt(let kernels):
            let lanes = unsafe lanes.map { unsafe $0.start }
            unsafe credkit_shacrypt_lanes_advance(kernels, lanes, count, Self.stepsOfSlice / 2 / count)
        case .bcrypt(let kernels):
            let lanes = unsafe lanes.map { unsafe $0.start.assumingMemoryBound(to: credkit_bcrypt_lane.self) }
            unsafe credkit_bcrypt_advance(kernels, lanes, count, UInt32(Self.roundsOfSlice))
        case .scrypt(let logN, let blockSize):
            // Lanes of scrypt follow each other in memory.
            guard let kernels = unsafe credkit_scrypt_choose(count) else { return }
            let pointers = unsafe lanes.map {
                unsafe $0.start.assumingMemoryBound(to: credkit_scrypt_lane.self)
            }
            var run = unsafe pointers.map { unsafe $0.pointee }
            unsafe credkit_scrypt_run(kernels, &run, count, logN, blockSize)
            for index in 0..<count { unsafe pointers[index].pointee.status = run[index].status }
        }
    }

    /// Whether a lane is done.
    func isDone(_ lane: LaneMemory) -> Bool {
        switch self {
        case .pbkdf2: unsafe lane.start.assumingMemoryBound(to: credkit_pbkdf2_lane.self).pointee.rest == 0
        case .shaCrypt: unsafe credkit_shacrypt_lane_is_done(lane.start) != 0
        case .bcrypt: unsafe lane.start.assumingMemoryBound(to: credkit_bcrypt_lane.self).pointee.rounds == 0
        case .scrypt: unsafe lane.start.assumingMemoryBound(to: credkit_scrypt_lane.self).pointee.status >= 0
        }
    }

    /// How many computations share a core.
    var group: LaneGroup? {
        let counts = (1...Self.mostComputations).map(sharedCount)
        guard counts.contains(where: { $0 > 1 }) else { return nil }
        return LaneGroup(name: name, joining: joining, counts: counts)
    }

    private var name: String {
        switch self {
        case .pbkdf2(let set): "PBKDF2 \(unsafe set.pointee.kernels.0?.pointee.function ?? 0)"
        case .shaCrypt(let kernels): "SHA-crypt \(unsafe kernels.pointee.variant)"
        case .bcrypt: "bcrypt"
        case .scrypt(let logN, let blockSize): "scrypt \(logN) \(blockSize)"
        }
    }

    private var joining: LaneGroup.Joining {
        switch self {
        case .pbkdf2(let set):
            // Kernels that are also best for one take hardly longer for two.
            var taken = 0
            let kernels = unsafe credkit_pbkdf2_next(set, 2, &taken)
            return unsafe taken == 2 && kernels.pointee.least_count == 1 ? .anytime : .besideSeveral
        case .shaCrypt(let kernels):
            return unsafe kernels.pointee.least_lanes <= 2 ? .anytime : .besideSeveral
        case .bcrypt: return .anytime
        case .scrypt: return .atStart
        }
    }

    /// Returns how many of a number of computations are best done at once.
    private func sharedCount(of candidates: Int) -> Int {
        switch self {
        case .pbkdf2(let set):
            return unsafe Self.sharedCount(set, of: candidates)
        case .shaCrypt(let kernels):
            let (lanes, least) = unsafe (kernels.pointee.lanes, kernels.pointee.least_lanes)
            return candidates < max(2, least) ? 1 : min(candidates, lanes)
        case .bcrypt, .scrypt:
            return laneCount(of: candidates)
        }
    }

    /// The narrowest kernels for several lanes, filled: wider ones answer all logins late.
    private static func sharedCount(_ set: UnsafePointer<credkit_pbkdf2_set>, of candidates: Int) -> Int {
        var (best, width) = (1, 0)
        for count in stride(from: 2, through: candidates, by: 1) {
            var taken = 0
            let kernels = unsafe credkit_pbkdf2_next(set, count, &taken)
            guard taken == count, unsafe width == 0 || kernels.pointee.width == width else {
                if best > 1 { break }
                continue
            }
            (best, width) = unsafe (count, kernels.pointee.width)
        }
        return best
    }
}

/// The memory of a lane, with what gives it up.
@safe
struct LaneMemory {
    let start: UnsafeMutableRawPointer
    let interruption: Interruption
}

extension SharedCore.Seat {
    /// Computes lanes together with those of other computations, in guarded memory.
    ///
    /// - Parameters:
    ///   - kernels: What advances the lanes.
    ///   - count: The number of lanes.
    ///   - byteCount: The size of each.
    ///   - interruption: Gives up the lanes.
    ///   - prepare: Begins the lane at an address, by its number.
    ///   - finish: Takes the result of a lane that is done. All of them are wiped afterwards, in any case.
    /// - Returns: Why they were not done; `nil` if they were.
    func compute(
        _ kernels: LaneKernels,
        count: Int = 1,
        byteCount: Int,
        _ interruption: Interruption,
        prepare: (UnsafeMutableRawPointer, Int) -> Void,
        finish: (UnsafeMutableRawPointer, Int) -> Void
    ) -> KeyDerivationError? {
        let alignment = Int(CREDKIT_LANE_ALIGNMENT)
        let stride = (byteCount + alignment - 1) / alignment * alignment
        do throws(KeyDerivationError) {
            // Its contents are wiped when nothing refers to it any more.
            _ = try unsafe SecretBytes.filled(
                count: count * stride + alignment,
                outOfMemory: KeyDerivationError.outOfMemory
            ) { memory in
                guard let base = memory.baseAddress else { return .outOfMemory }
                let start = unsafe UnsafeMutableRawPointer(base).alignedUp(toMultipleOf: alignment)
                for index in 0..<count { unsafe prepare(start + index * stride, index) }
                advance(
                    (0..<count).map {
                        unsafe LaneMemory(start: start + $0 * stride, interruption: interruption)
                    },
                    kernels
                )
                guard !interruption.isRaised else { return .cancelled }
                for index in 0..<count { unsafe finish(start + index * stride, index) }
                return nil
            }
            return nil
        } catch {
            return error
        }
    }
}
