// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64.Decoder {
    /// Decodes whole groups from a place in a text on, until one is invalid or incomplete. The decoder must be
    /// between groups, and stays there.
    ///
    /// Whole lines, and long parts of other lines, are passed to the kernel, so that a line feed does not cost it a
    /// block. Short parts, and groups around skipped characters, are decoded faster one by one.
    ///
    /// `lineEnd` is the end of the line that was last passed to the kernel, for the next call to continue with.
    /// Returns the number of characters that were read.
    func decodeGroups(
        _ text: Span<UInt8>,
        from start: Int,
        lineEnd: inout Int,
        into output: inout OutputSpan<UInt8>
    ) -> Int {
        guard ignoring != .none else {
            return decodeRun(text.extracting(start...), into: &output) * 4
        }
        var index = start
        while index < text.count {
            if index >= lineEnd {
                lineEnd = index + lineLength(text, from: index)
                if lineEnd < text.count {
                    let count = decodeLines(text.extracting(index...), of: lineEnd - index, into: &output)
                    index += count
                    if count > 0 { continue }
                }
            }
            var window = 256
            if lineEnd - index >= Self.shortLength {
                index += decodeRun(text.extracting(index..<lineEnd), into: &output) * 4
                // Up to the first whole group behind the line feed, or past another character within the line.
                window = lineEnd - index < 4 ? lineEnd - index + 8 : 64
            }
            let end = min(window, text.count - index) + index
            let count = decodeShort(text.extracting(index..<end), into: &output)
            guard count > 0 else { break }
            index += count
        }
        return index - start
    }

    /// Returns the number of consecutive skipped characters from a place on.
    func skippedCount(_ text: Span<UInt8>, from start: Int) -> Int {
        guard ignoring != .none && start < text.count else { return 0 }
        return unsafe text.extracting(start...).withUnsafeBytes { rest in
            unsafe Base64Kernel.skippedCount(rest, form: form)
        }
    }

    /// For fewer characters, a call of the kernel costs more than it saves.
    private static var shortLength: Int { 16 }

    /// The form for kernels that skip characters.
    private var form: UInt32 {
        let goesOn = isLax && base64.isPadded ? Base64Kernel.goesOn : 0
        return base64.form | ignoring.form | goesOn
    }

    private func lineLength(_ text: Span<UInt8>, from start: Int) -> Int {
        unsafe text.extracting(start...).withUnsafeBytes { unsafe Base64Kernel.lineLength($0) }
    }

    /// Decodes a few groups, or groups that contain skipped characters.
    private func decodeShort(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Int {
        unsafe text.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBufferPointer { target, count in
                guard let to = target.baseAddress else { return 0 }
                let decoded = unsafe Base64Kernel.decodeSkipping(
                    source,
                    to: to + count,
                    room: target.count - count,
                    form: form
                )
                count += decoded.bytes
                return decoded.characters
            }
        }
    }

    /// Decodes consecutive lines of one length that consist of whole groups and are not short.
    ///
    /// - Returns: The number of characters that were decoded, line feeds included.
    private func decodeLines(
        _ text: Span<UInt8>,
        of length: Int,
        into output: inout OutputSpan<UInt8>
    ) -> Int {
        guard length >= Self.shortLength && length.isMultiple(of: 4) else { return 0 }
        precondition(
            output.freeCapacity >= text.count / 4 * 3,
            "The output has less room than the bytes take."
        )
        return unsafe text.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBufferPointer { target, count in
                guard let to = target.baseAddress else { return 0 }
                let decoded = unsafe Base64Kernel.decodeLines(
                    source,
                    length: length,
                    to: to + count,
                    as: base64
                )
                count += decoded.bytes
                return decoded.characters
            }
        }
    }

    /// Decodes whole groups of characters of the alphabet from the start of a text.
    ///
    /// - Returns: The number of groups that were decoded.
    private func decodeRun(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Int {
        let groups = text.count / 4
        precondition(output.freeCapacity >= groups * 3, "The output has less room than the bytes take.")
        return unsafe text.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBufferPointer { target, count in
                guard let from = source.baseAddress, let to = target.baseAddress else { return 0 }
                let decoded = unsafe Base64Kernel.decode(from, groups: groups, to: to + count, as: base64)
                count += decoded * 3
                return decoded
            }
        }
    }
}
