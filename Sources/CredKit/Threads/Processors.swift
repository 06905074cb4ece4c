// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The processors of this machine.
package enum Processors {
    /// How many are online. A process that may run on fewer, or in a container with less of their time, says so itself.
    package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
