// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// The processors of this machine.
package enum Processors {
    /// How many are online, at least 1. The process may run on fewer of them; see ``available``.
    package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// How many this process may run on, at least 1: fewer under `taskset` or in a container with a processor set.
    package static var available: Int { max(1, Int(credkit_processor_count())) }
}
