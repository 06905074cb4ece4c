// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The form in which tests run that have a long one, with more rounds or more input.
public enum TestForm {
    /// Whether `CREDKIT_DEEP` asks for the long form.
    public static let isDeep = ProcessInfo.processInfo.environment["CREDKIT_DEEP"] == "1"
}
