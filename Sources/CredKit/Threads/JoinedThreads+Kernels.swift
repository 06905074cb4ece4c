// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

extension JoinedThreads {
    /// The number of processors that this process may run on, at least 1.
    static var processorCount: Int { max(1, Int(credkit_processor_count())) }
}
