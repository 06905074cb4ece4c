// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The version of the programs and of their packages.
public enum ProgramVersion {
    /// The version, by the rules of Semantic Versioning. `script/lib/version.sh` reads this line.
    public static let current = "0.1.0"
}
