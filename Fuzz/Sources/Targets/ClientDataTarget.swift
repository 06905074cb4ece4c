// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import Foundation

extension FuzzTarget {
    /// Reads client data beside Foundation, and reads again what is written of their JSON.
    static let clientData = FuzzTarget("client-data") { bytes in
        if let value = try? StrictJSON(parsing: bytes) {
            let text = value.text
            try require(
                text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "<") },
                "written JSON is safe in HTML"
            )
            try requireEqual(
                (try? StrictJSON(parsing: text.utf8))?.text,
                text,
                "written JSON is read back"
            )
        }
        guard let data = try? WebAuthn.CollectedClientData(parsing: bytes),
            // Foundation refuses some numbers.
            let members = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        else { return }
        let texts = [("type", data.type), ("challenge", data.challenge), ("origin", data.origin)]
        for (name, text) in texts {
            let expected = (members[name] as? String).map { Array($0.utf8) }
            try requireEqual(expected, Array(text.utf8), "Foundation reads the same \(name)")
        }
        let isFramed = members["crossOrigin"] as? Bool == true || members["topOrigin"] != nil
        try requireEqual(data.isCrossOrigin, isFramed, "Foundation finds the same frame")
    }
}
