// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CoreMetrics

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
