// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import CredKitSystem

/// Lines of `/proc/net/tcp`, as Linux 6.1 wrote them.
@Suite struct PeerUserTests {
    private static let ends = "0100007F:E4EE 0100007F:BDF5"

    private func user(_ state: String = "01", _ user: String = "1000", file: String = "10631689") -> PeerUser
    {
        let list = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               4: 0100007F:BDF5 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 10631688 1 00000000bf2c04ad 100 0 0 10 0
            10206: 0100007F:BDF5 0100007F:E4EE 01 00000000:00000000 00:00000000 00000000     0        0 10631690 1 000000007c5092e0 20 0 0 10 -1
            10207: \(Self.ends) \(state) 00000000:00000000 00:00000000 00000000 \(user)        0 \(file) 2 00000000271b394f 20 0 0 10 -1

            """
        return PeerUser(in: Array(list.utf8), ends: Self.ends)
    }

    @Test func userOfAnOpenConnectionIsFound() {
        #expect(user() == .user(1000))
        #expect(user("01", "    0") == .user(0))
        #expect(user("01", "4294967294") == .user(4_294_967_294))
    }

    /// The kernel shows these with the user 0.
    @Test(arguments: ["04", "05", "06", "08", "0A"] as [String])
    func closedConnectionHasNoUser(state: String) {
        #expect(user(state, "0") == .closed)
    }

    @Test func entryWithoutAFileOrUserIsClosed() {
        #expect(user("01", "0", file: "0") == .closed)
        #expect(user("01", "-1") == .closed)
    }

    /// A process that has closed its end must not count as one of root.
    @Test func thisUserAndRootAreTrusted() {
        #expect(PeerUser.user(1000).isTrusted(by: 1000))
        #expect(PeerUser.user(0).isTrusted(by: 1000))
        #expect(PeerUser.user(0).isTrusted(by: 0))
        for other in [PeerUser.user(1001), .user(65534), .closed, .missing] {
            #expect(!other.isTrusted(by: 1000))
            #expect(!other.isTrusted(by: 0))
        }
    }

    @Test func otherConnectionsAreNotMistaken() {
        #expect(PeerUser(in: [], ends: Self.ends) == .missing)
        let other = Array("   1: 10100007F:E4EE 0100007F:BDF51 01 0:0 0:0 0 5 0 7\n".utf8)
        #expect(PeerUser(in: other, ends: Self.ends) == .missing)
        let cut = Array("   1: \(Self.ends) 01 0:0 0:0".utf8)
        #expect(PeerUser(in: cut, ends: Self.ends) == .closed)
    }

    @Test func addressesAreWrittenAsTheKernelDoes() {
        let ipv4 = SocketAddress(loopback: AF_INET, port: 0xBDF5)
        #expect(ipv4.listed() == "0100007F:BDF5")
        #expect(ipv4.listed(isMapped: true) == "0000000000000000FFFF00000100007F:BDF5")
        #expect(ipv4.port == 0xBDF5)
        #expect(ipv4.isIPv4)
        let ipv6 = SocketAddress(loopback: AF_INET6, port: 80)
        #expect(ipv6.listed() == "00000000000000000000000001000000:0050")
        #expect(!ipv6.isIPv4)
    }
}
