// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Notes of interrupted upgrades.
enum UpgradeNote {
    /// A function of the shell: `note INPUT LINES OUTPUT` writes the note of a run that was interrupted after some lines.
    static let function = """
        note() { printf '%s %s\\n' $2 "$(head -n $2 "$1" | sha256sum | cut -c -64)" > "$3.partial.note"; }
        """
}
