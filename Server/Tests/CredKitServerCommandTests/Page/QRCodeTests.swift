// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServerCommand
import CredKitTestSupport
import Foundation
import Testing

/// QR codes, which zbarimg reads.
@Suite struct QRCodeTests {
    /// Paints the lines of an image, as a file of zbarimg: 4 pixels for a module.
    private static func bitmap(_ svg: String) throws -> String {
        let path = try #require(svg.components(separatedBy: " d=\"").last?.split(separator: "\"").first)
        let view = try #require(svg.components(separatedBy: "viewBox=\"0 0 ").last)
        let size = try #require(Int(view.prefix { $0 != " " }))
        var pixels = [[Bool]](repeating: [Bool](repeating: false, count: size), count: size)
        var (x, y) = (0, 0)
        for step in path.split(separator: "m").dropFirst() {
            let numbers = step.split { " h".contains($0) }.compactMap { Int($0) }
            try #require(numbers.count == 3, "\(step)")
            x += numbers[0]
            y += numbers[1]
            // The pen begins at 4, 4.5.
            for column in x..<x + numbers[2] { pixels[y + 4][column + 4] = true }
            x += numbers[2]
        }
        let rows = pixels.flatMap { row -> [String] in
            let line = row.map { $0 ? "1 1 1 1" : "0 0 0 0" }.joined(separator: " ")
            return [String](repeating: line, count: 4)
        }
        return "P1\n\(size * 4) \(size * 4)\n\(rows.joined(separator: "\n"))\n"
    }

    @Test(arguments: [
        "a", "otpauth://totp/Wiki:alice?secret=GEZDGNBVGY3TQOJQ&issuer=Wiki",
        String(repeating: "0aA%", count: 105),
    ])
    func aReaderReadsTheText(_ text: String) throws {
        let svg = try #require(QRCode.svg(of: SecretBytes(text), title: "a <b>"))
        #expect(svg.contains("<title>a &lt;b&gt;</title>"))
        #expect(svg.utf8.count < 8_500)
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let file = shell.folder.appendingPathComponent("code.pbm")
        try Self.bitmap(svg).write(to: file, atomically: true, encoding: .utf8)
        let read = try shell.run("zbarimg -q --raw -Sdisable -Sqrcode.enable code.pbm 2> errors")
        #expect(read.status == 0, "\(read.errors)")
        #expect(read.text == "\(text)\n")
    }

    @Test func aTextThatIsTooLongIsNotDrawn() throws {
        for text in ["", String(repeating: "a", count: 500), String(repeating: "a", count: 5_000)] {
            #expect(try QRCode.svg(of: SecretBytes(text), title: "") == nil)
        }
    }
}
