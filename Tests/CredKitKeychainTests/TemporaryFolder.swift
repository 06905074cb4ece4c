// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A separate folder for a test that other users cannot read.
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
