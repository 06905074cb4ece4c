// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Testing

@testable import CredKitTerminal

/// The meter of long work, with a clock of the test.
@Suite struct ProgressMeterTests {
    /// A clock that stands still, and what a meter has written.
    private final class Stage: Sendable {
        private let time = Lock(ContinuousClock.now)
        private let texts = Lock<[String]>([])

        var written: [String] { texts.withLock { $0 } }

        func advance(_ duration: Duration) { time.withLock { $0 += duration } }

        func meter(
            _ unit: ProgressMeter.Unit,
            total: Int?,
            _ display: ProgressMeter.Display
        ) -> ProgressMeter {
            ProgressMeter(
                unit,
                total: total,
                display: display,
                now: { [time] in time.withLock { $0 } },
                write: { [texts] text in texts.withLock { $0.append(text) } }
            )
        }
    }

    @Test func logHasALineAMinute() {
        let stage = Stage()
        var meter = stage.meter(.records, total: 1_000_000, .log)
        for _ in 0..<180 {
            stage.advance(.seconds(1))
            meter.advance(by: 100)
        }
        meter.finish()
        #expect(
            stage.written
                == ([
                    "6000 of 1000000 records  100.0/s  0 %  2 h 46 min left",
                    "12000 of 1000000 records  100.0/s  1 %  2 h 45 min left",
                    "18000 of 1000000 records  100.0/s  1 %  2 h 44 min left",
                ] as [String])
        )
    }

    @Test func shortWorkHasNoLine() {
        let stage = Stage()
        var (log, terminal) = (
            stage.meter(.records, total: 10, .log), stage.meter(.bytes, total: 10, .terminal)
        )
        stage.advance(.milliseconds(999))
        terminal.advance(by: 5)
        terminal.finish()
        stage.advance(.seconds(59))
        log.advance(by: 5)
        log.finish()
        #expect(stage.written.isEmpty)
    }

    @Test func terminalHasOneLineThatIsRemoved() {
        let stage = Stage()
        var meter = stage.meter(.rows, total: 400, .terminal)
        stage.advance(.seconds(2))
        meter.advance(by: 100)
        meter.advance(by: 1)
        meter.finish()
        meter.finish()
        #expect(
            stage.written
                == (["\r\u{1B}[K100 of about 400 rows  50.0/s  25 %  6 s left", "\r\u{1B}[K"] as [String])
        )
    }

    /// What an earlier run did says nothing about the rate of this one.
    @Test func rateIsOfThisRun() {
        let stage = Stage()
        var meter = stage.meter(.records, total: 10_000, .log)
        stage.advance(.seconds(30))
        meter.restart(at: 9000)
        stage.advance(.seconds(60))
        meter.advance(by: 60)
        #expect(stage.written == (["9060 of 10000 records  1.0/s  90 %  16 min left"] as [String]))
    }

    @Test func estimatesCanBeTooLow() {
        let stage = Stage()
        var meter = stage.meter(.rows, total: 10, .log)
        stage.advance(.seconds(60))
        meter.advance(by: 600)
        #expect(stage.written == (["600 rows  10.0/s"] as [String]))
    }

    @Test(
        arguments: [
            (0, "0 s"), (0.2, "1 s"), (119, "119 s"), (120, "2 min"), (7199, "120 min"), (7200, "2 h 0 min"),
            (7800, "2 h 10 min"), (7259, "2 h 1 min"), (172_801, "2 d 1 h"), (172_800, "2 d 0 h"),
            (1e12, "more than 30,000 years"),
        ] as [(Double, String)]
    )
    func timesAreInTheirUnits(seconds: Double, text: String) {
        #expect(TimeLeft.text(seconds: seconds) == text)
    }
}
