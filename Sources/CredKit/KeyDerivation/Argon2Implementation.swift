// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The code that computes Argon2. The hashes are the same, so that processes of one table may differ in it, as long as the table has
/// no hashes of Argon2d or version 16, which libsodium cannot verify.
///
/// The environment variable `CREDKIT_KERNELS` with the value `reference` selects ``libsodium`` for a whole process.
public enum Argon2Implementation: String, Sendable, Hashable {
    /// CredKit's own kernels for the instruction set of this processor: faster, in memory that is used again, and for all
    /// parameters of RFC 9106. A computation can be cancelled. In a debug build they are compiled without optimization, and take
    /// up to four times as long as libsodium.
    ///
    /// Before the first use, the selected kernels must compute known answers. Kernels that fail are not used; see
    /// ``rejectedKernels``. If none remain, libsodium computes.
    case vectorized

    /// libsodium. It has no Argon2d, no version 16 and, for new hashes, one lane.
    case libsodium

    /// The name of the kernels that ``vectorized`` uses in this process: `avx512`, `avx2` or `portable`; `nil` if libsodium
    /// computes instead.
    public static var selectedKernels: String? { Argon2Kernels()?.name }

    /// The name of the first kernels that did not compute the known answers; `nil` if none failed.
    ///
    /// Such a machine, or the compiler that built this program, is faulty: report it.
    public static var rejectedKernels: String? { Argon2Kernels.rejectedName }
}
