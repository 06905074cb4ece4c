// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import NIOConcurrencyHelpers
import CoreMetrics

/// The metrics of the server, in the exposition format of Prometheus.
final class MetricRegistry: Sendable {
    private let families = NIOLockedValueBox<[String: MetricFamily]>([:])

    /// Declares a metric. A metric that is not declared is not recorded.
    ///
    /// - Parameters:
    ///   - name: The name: letters, digits and underscores. That of a counter ends in `_total`.
    ///   - kind: The kind.
    ///   - help: What is counted, in which unit.
    func declare(_ name: String, _ kind: MetricFamily.Kind, _ help: String) {
        families.withLockedValue { $0[name] = MetricFamily(kind: kind, help: help) }
    }

    /// Returns the series of a metric with labels; `nil` if there is no such metric or there are too many series.
    func series(_ name: String, _ kind: MetricFamily.Kind, _ labels: [(String, String)]) -> MetricSeries? {
        let text = PrometheusText.labels(labels)
        let isAdded = families.withLockedValue { families in
            families[name]?.kind == kind && families[name]?.add(text) ?? false
        }
        return isAdded ? MetricSeries(registry: self, name: name, labels: text) : nil
    }

    /// Changes the values of a metric.
    func update(_ name: String, _ body: (inout MetricFamily) -> Void) {
        families.withLockedValue { families in
            guard families[name] != nil else { return }
            // In place: a copy of the family would copy all of its series.
            body(&families[name, default: MetricFamily(kind: .gauge, help: "")])
        }
    }

    /// All metrics in the text format.
    var text: String { PrometheusText.text(of: families.withLockedValue { $0 }) }
}

// The registry as a backend of swift-metrics. Metrics that are not declared are recorded nowhere.
extension MetricRegistry: MetricsFactory {
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, .counter, dimensions) ?? NOOPMetricsHandler.instance
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, .gauge, dimensions) ?? NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, .histogram, dimensions) ?? NOOPMetricsHandler.instance
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        let kind = aggregate ? MetricFamily.Kind.histogram : .gauge
        return series(label, kind, dimensions) ?? NOOPMetricsHandler.instance
    }

    // A series stays until the end of the process: a counter that starts again looks like a restart.

    func destroyCounter(_: any CounterHandler) {}

    func destroyMeter(_: any MeterHandler) {}

    func destroyTimer(_: any TimerHandler) {}

    func destroyRecorder(_: any RecorderHandler) {}
}
