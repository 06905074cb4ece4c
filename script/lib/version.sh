# Part of CredKit. SPDX-License-Identifier: Apache-2.0
# Must be sourced in the root of the repository.
# shellcheck shell=bash

# Prints the version, from the one place that has it.
credkit_version() {
    sed -n 's/.*static let current = "\([0-9][0-9A-Za-z.+-]*\)"$/\1/p' Sources/CredKitTerminal/Commands/ProgramVersion.swift
}
