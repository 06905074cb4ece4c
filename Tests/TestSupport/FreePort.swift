// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// A free port of this machine, which is taken as long as the value lives. Another program can take it afterwards.
public final class FreePort {
    /// There is no free port.
    public struct None: Error {}

    /// The number of the port.
    public let number: UInt16
    private let descriptor: Int32

    /// Takes a free port.
    public init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 ? getsockname(descriptor, pointer, &size) : -1
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        guard status == 0 else { throw None() }
    }

    deinit { close(descriptor) }
}
