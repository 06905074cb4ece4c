// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Tests texts and bytes that arrive in pieces, split at any position.
extension SecretsTest {
    func encodePieces(_ count: Int, _ form: Base64) throws {
        let bytes = Memory(randomCount: count)
        bytes.makeSecret()
        var encoder = form.makeEncoder(lineLength: 76)
        let text = Memory(count: encoder.maximumOutputByteCount(forInputByteCount: count))
        let written = bytes.withSpan { bytes in
            text.write { output in
                for piece in pieces(of: count) { encoder.update(bytes.extracting(piece), into: &output) }
                encoder.finalize(into: &output)
            }
        }
        // The first line contains no line feed.
        let characters = min(76, form.unpadded.encodedByteCount(of: count))
        if text.secretCount < characters { complain("the text does not depend on the bytes") }
        text.makePublic()
        bytes.makePublic()
        let expected = Array(form.encode(bytes.bytes, lineLength: 76).utf8)
        if Array(text.bytes.prefix(written)) != expected { complain("the text is wrong") }
    }

    /// The positions of line feeds and the amount of padding are public; the other characters are secret.
    func decodePieces(_ count: Int, _ form: Base64, lineLength: Int, ignoring: Base64.IgnoredCharacters)
        throws
    {
        let expected = Memory(randomCount: count)
        let text = Memory(form.encode(expected.bytes, lineLength: lineLength).utf8)
        let known = text.bytes.indices.filter { [0x0A, UInt8(ascii: "=")].contains(text.start[$0]) }
        text.makeSecret()
        for index in known { text.makePublic(at: index) }

        var decoder = form.makeDecoder(ignoring: ignoring)
        let bytes = Memory(count: form.maximumDecodedByteCount(of: text.count) + 3)
        let written = try text.withSpan { text in
            try bytes.write { output in
                for piece in pieces(of: text.count) {
                    try decoder.update(text.extracting(piece), into: &output)
                }
                try decoder.finalize(into: &output)
            }
        }
        if written != count || bytes.secretCount < count { complain("the bytes do not depend on the text") }
        bytes.makePublic()
        if Array(bytes.bytes.prefix(count)) != expected.bytes { complain("the bytes are wrong") }
    }

    /// Short pieces and long ones, and empty ones.
    private func pieces(of count: Int) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = 0
        while start < count {
            let longest = Bool.random() ? 9 : 1000
            let end = min(count, start + Int.random(in: 0...longest))
            pieces.append(start..<end)
            start = end
        }
        return pieces
    }
}
