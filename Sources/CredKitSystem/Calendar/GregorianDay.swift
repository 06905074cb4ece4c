// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A day of the proleptic Gregorian calendar.
///
/// CredKit's core does not use Foundation, whose calendars also depend on locale and environment.
package struct GregorianDay {
    package let year: Int
    package let month: Int
    package let day: Int

    package static let first = GregorianDay(unchecked: 1, 1, 1)
    package static let last = GregorianDay(unchecked: 9999, 12, 31)

    private init(unchecked year: Int, _ month: Int, _ day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates a day from 0001-01-01 to 9999-12-31; `nil` if the date does not exist.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        self.init(unchecked: year, month, day)
    }

    // Both conversions count from 0000-03-01, so that the leap day is the last of its year. They count in periods of
    // 400 years of 146,097 days, after which the calendar repeats itself.

    /// The number of days since 1970-01-01.
    package var daysSince1970: Int {
        let marchYear = month > 2 ? year : year - 1
        let (period, yearOfPeriod) = marchYear.flooredQuotientAndRemainder(dividingBy: 400)
        // Months from March on begin after 0, 31, 61, 92 … days: 153 days in every five months.
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfPeriod = yearOfPeriod * 365 + yearOfPeriod / 4 - yearOfPeriod / 100 + dayOfYear
        return period * 146_097 + dayOfPeriod - Self.marchOfYear0
    }

    /// Creates the day at a distance from 1970-01-01, which must lie within the years 0001 to 9999.
    package init(daysSince1970: Int) {
        let (period, dayOfPeriod) = (daysSince1970 + Self.marchOfYear0)
            .flooredQuotientAndRemainder(dividingBy: 146_097)
        // Subtract the leap days before: one in 1,460 days, none at the centuries, one at the end.
        let leapless = dayOfPeriod - dayOfPeriod / 1460 + dayOfPeriod / 36_524 - dayOfPeriod / 146_096
        let yearOfPeriod = leapless / 365
        let dayOfYear = dayOfPeriod - (yearOfPeriod * 365 + yearOfPeriod / 4 - yearOfPeriod / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = (monthFromMarch + 2) % 12 + 1
        self.init(
            unchecked: period * 400 + yearOfPeriod + (month > 2 ? 0 : 1),
            month,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    /// The days from 0000-03-01 to 1970-01-01.
    private static let marchOfYear0 = 719_468
}

extension Int {
    /// Divides and rounds down, so that the remainder is never negative.
    package func flooredQuotientAndRemainder(dividingBy divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
