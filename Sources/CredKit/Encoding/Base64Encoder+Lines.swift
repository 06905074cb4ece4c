// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64.Encoder {
    /// Writes whole groups, as many at once as fit on the line.
    mutating func encode(
        groups: Int,
        from source: UnsafeRawPointer,
        into output: inout OutputSpan<UInt8>
    ) {
        var remaining = groups
        var source = unsafe source
        while remaining > 0 {
            var run = remaining
            if lineLength > 0 {
                let lines = column.isMultiple(of: lineLength) ? remaining * 4 / lineLength : 0
                if lines > 0 && lineLength.isMultiple(of: 4) {
                    unsafe encode(lines: lines, from: source, into: &output)
                    unsafe source += lines * (lineLength / 4 * 3)
                    remaining -= lines * (lineLength / 4)
                    continue
                }
                if column == lineLength { endLine(into: &output) }
                run = min(remaining, (lineLength - column) / 4)
            }
            if run > 0 {
                unsafe encode(run: run, from: source, into: &output)
            } else {
                // A line ending falls into this group.
                run = 1
                let bytes = unsafe UnsafeRawBufferPointer(start: source, count: 3)
                unsafe writeGroup(bytes[0], bytes[1], bytes[2], characters: 4, into: &output)
            }
            unsafe source += run * 3
            remaining -= run
        }
    }

    /// Writes whole lines of whole groups, at the start or the end of a line.
    private mutating func encode(
        lines: Int,
        from source: UnsafeRawPointer,
        into output: inout OutputSpan<UInt8>
    ) {
        precondition(
            output.freeCapacity >= lines * (lineLength + lineEnding.byteCount),
            "The output has too little capacity for the text."
        )
        unsafe output.withUnsafeMutableBufferPointer { target, count in
            guard let base = target.baseAddress else { return }
            count += unsafe Base64Kernel.encodeLines(
                source,
                lines: lines,
                length: lineLength,
                ending: lineEnding,
                beginsWithEnding: column == lineLength,
                to: base + count,
                as: base64
            )
        }
        column = lineLength
    }

    /// Writes groups that fit on one line.
    private mutating func encode(
        run: Int,
        from source: UnsafeRawPointer,
        into output: inout OutputSpan<UInt8>
    ) {
        let bytes = unsafe UnsafeBufferPointer(
            start: source.assumingMemoryBound(to: UInt8.self),
            count: run * 3
        )
        unsafe base64.encode(bytes.span, into: &output)
        if lineLength > 0 { column += run * 4 }
    }
}
