// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A program of the kernel's packet filter: `struct sock_fprog`.
struct SocketFilter: @unchecked Sendable {
    /// An instruction: `struct sock_filter`.
    private struct Instruction {
        let code: UInt16
        /// How many instructions to skip if a comparison is true, or false.
        let skips: (UInt8, UInt8)
        let value: UInt32
    }

    private let count: UInt16
    /// Read by the kernel only while the filter is attached to a socket. Never freed, since that may happen later.
    private let program: UnsafePointer<Instruction>

    private init(_ instructions: [Instruction]) {
        let memory = UnsafeMutableBufferPointer<Instruction>.allocate(capacity: instructions.count)
        _ = memory.initialize(from: instructions)
        count = UInt16(instructions.count)
        program = UnsafePointer(memory.baseAddress.unsafelyUnwrapped)
    }

    /// Drops the packets that begin a connection. The bytes are those of the TCP header, whose flags are in byte 13.
    static let withoutNewConnections = SocketFilter([
        Instruction(code: loadByte, skips: (0, 0), value: 13),
        Instruction(code: jumpIfSet, skips: (0, 1), value: synchronize),
        Instruction(code: giveBack, skips: (0, 0), value: 0),
        Instruction(code: giveBack, skips: (0, 0), value: .max),
    ])

    // BPF_LD|BPF_B|BPF_ABS, BPF_JMP|BPF_JSET|BPF_K, BPF_RET|BPF_K; the flag SYN.
    private static let loadByte: UInt16 = 0x30, jumpIfSet: UInt16 = 0x45, giveBack: UInt16 = 0x06
    private static let synchronize: UInt32 = 0x02
}
