// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The text-based exposition format of Prometheus, version 0.0.4.
enum PrometheusText {
    /// The media type of the format.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns labels as they are printed, without braces.
    static func labels(_ labels: [(String, String)]) -> String {
        labels.map { "\($0)=\"\(escaping($1, quote: true))\"" }.joined(separator: ",")
    }

    /// Returns all metrics, in the order of their names.
    static func text(of families: [String: MetricFamily]) -> String {
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text += "# HELP \(name) \(escaping(family.help, quote: false))\n"
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                text +=
                    family.kind == .histogram
                    ? histogram(name, labels, series) : line(name, labels, number(series.value))
            }
        }
        return text
    }

    private static func histogram(_ name: String, _ labels: String, _ series: MetricFamily.Series) -> String {
        var text = ""
        var count: UInt64 = 0
        func bucket(_ bound: String, _ count: UInt64) {
            let own = labels.isEmpty ? "" : "\(labels),"
            text += line("\(name)_bucket", "\(own)le=\"\(bound)\"", "\(count)")
        }
        for (bound, own) in zip(MetricFamily.bounds, series.buckets) {
            count &+= own
            bucket(number(bound), count)
        }
        bucket("+Inf", series.count)
        text += line("\(name)_sum", labels, number(series.value))
        return text + line("\(name)_count", labels, "\(series.count)")
    }

    private static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// Returns a number as Go's `ParseFloat` reads it, whole numbers without a fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func escaping(_ text: String, quote: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quote: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
