// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitQREncode
import CredKit

/// A QR code, drawn by libqrencode.
enum QRCode {
    /// The number of modules on a side of the largest code that is drawn: that of version 13, some 420 bytes of text. A larger one
    /// would not fit into the page, and cameras read it badly.
    private static let maximumWidth = 69
    /// The white border that readers need, in modules.
    private static let border = 4

    /// Whether there is a libqrencode.
    static var isAvailable: Bool {
        var library = credkit_qrencode_library()
        return credkit_qrencode_library_load(&library) != 0
    }

    /// Draws a text: black lines on white, in any color scheme.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - title: What the image is, for those who do not see it.
    /// - Returns: The element `svg`; `nil` if there is no libqrencode, or if the code is too large.
    static func svg(of text: SecretBytes, title: String) -> String? {
        var library = credkit_qrencode_library()
        guard credkit_qrencode_library_load(&library) != 0 else { return nil }
        let bytes = text.withSecretBytes { text in text.indices.map { text[$0] } }
        guard !bytes.isEmpty,
            let code = library.QRcode_encodeData(Int32(bytes.count), bytes, 0, UInt32(CREDKIT_QR_LEVEL_L))
        else { return nil }
        defer { library.QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width <= maximumWidth, let modules = code.pointee.data else { return nil }
        let lines = lines(UnsafeBufferPointer(start: modules, count: width * width), width)
        let size = width + 2 * border
        return """
            <svg role="img" viewBox="0 0 \(size) \(size)" shape-rendering="crispEdges"><title>\(HTMLText.escape(title))</title>\
            <path fill="#fff" d="M0 0h\(size)v\(size)H0z"/><path stroke="#000" d="\(lines)"/></svg>
            """
    }

    /// Returns a path with a line for each run of black modules in a row. Its moves are relative, which halves its length.
    private static func lines(_ modules: UnsafeBufferPointer<UInt8>, _ width: Int) -> String {
        var path = "M\(border) \(border).5"
        var (penX, penY) = (0, 0)
        for y in 0..<width {
            var x = 0
            while x < width {
                guard modules[y * width + x] & 1 == 1 else {
                    x += 1
                    continue
                }
                let start = x
                while x < width, modules[y * width + x] & 1 == 1 { x += 1 }
                path += "m\(start - penX) \(y - penY)h\(x - start)"
                (penX, penY) = (x, y)
            }
        }
        return path
    }
}
