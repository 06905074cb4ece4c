// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CoreMetrics

/// One time series of a registry, as the handler of a metric of swift-metrics.
final class MetricSeries: Sendable {
    private let registry: MetricRegistry
    private let name: String
    private let labels: String

    init(registry: MetricRegistry, name: String, labels: String) {
        self.registry = registry
        self.name = name
        self.labels = labels
    }

    private func update(_ body: (inout MetricFamily.Series) -> Void) {
        registry.update(name) { family in
            if var series = family.series[labels] {
                body(&series)
                family.series[labels] = series
            }
        }
    }
}

extension MetricSeries: CounterHandler {
    func increment(by amount: Int64) { update { $0.value += Double(amount) } }

    func reset() { update { $0.value = 0 } }
}

extension MetricSeries: MeterHandler {
    func set(_ value: Int64) { update { $0.value = Double(value) } }

    func set(_ value: Double) { update { $0.value = value } }

    func increment(by amount: Double) { update { $0.value += amount } }

    func decrement(by amount: Double) { update { $0.value -= amount } }
}

extension MetricSeries: TimerHandler {
    func recordNanoseconds(_ duration: Int64) {
        registry.update(name) { $0.observe(Double(duration) / 1_000_000_000, labels) }
    }
}

extension MetricSeries: RecorderHandler {
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { registry.update(name) { $0.observe(value, labels) } }
}
