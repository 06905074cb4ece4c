// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of a test's own, which nobody else can look into.
enum TemporaryFolder {
    static func make() throws -> String {
        var template = Array((NSTemporaryDirectory() + "/credkit-test-XXXXXX").utf8CString)
        guard let path = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        return String(cString: path)
    }

    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }
}
