//! Points in time as they cross the network: RFC 3339 UTC text outside, milliseconds since 1970 inside.
//!
//! Own arithmetic (Hinnant's civil-from-days) in place of a date crate: the browser pays for every kilobyte.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since 1970-01-01T00:00:00Z. Serialised as RFC 3339 in UTC (`2026-12-01T08:00:00Z`, with
/// milliseconds only when they are not zero).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Whole seconds from `earlier` to `self`; negative when `self` is earlier.
    pub fn seconds_since(self, earlier: Timestamp) -> i64 {
        (self.0 - earlier.0).div_euclid(1000)
    }

    /// Parses RFC 3339 with `Z` or a numeric offset and up to nanoseconds (cut to milliseconds).
    /// `None` for anything else, impossible dates included.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let b = text.as_bytes();
        if !text.is_ascii() || b.len() < 20 || b[4] != b'-' || b[7] != b'-' || b[13] != b':' || b[16] != b':'
        {
            return None;
        }
        if !matches!(b[10], b'T' | b't' | b' ') {
            return None;
        }
        let number = |from: usize, to: usize| -> Option<i64> {
            let digits = &text[from..to];
            digits.bytes().all(|c| c.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let mut rest = &text[19..];
        let mut millis = 0;
        if let Some(fraction) = rest.strip_prefix('.') {
            let end = fraction.find(|c: char| !c.is_ascii_digit())?;
            if end == 0 || end > 9 {
                return None;
            }
            millis = format!("{:0<3}", &fraction[..end.min(3)]).parse().ok()?;
            rest = &fraction[end..];
        }
        let offset_minutes = match rest.as_bytes() {
            [b'Z' | b'z'] => 0,
            [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
                let digit = |c: &u8| c.is_ascii_digit().then(|| i64::from(c - b'0'));
                let hours = digit(h1)? * 10 + digit(h2)?;
                let minutes = digit(m1)? * 10 + digit(m2)?;
                if hours > 23 || minutes > 59 {
                    return None;
                }
                (hours * 60 + minutes) * if *sign == b'-' { -1 } else { 1 }
            }
            _ => return None,
        };
        let days = days_from_civil(year, month, day);
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset_minutes * 60;
        Some(Timestamp(seconds * 1000 + millis))
    }

    /// RFC 3339 in UTC.
    pub fn to_rfc3339(self) -> String {
        let seconds = self.0.div_euclid(1000);
        let millis = self.0.rem_euclid(1000);
        let (year, month, day) = civil_from_days(seconds.div_euclid(86_400));
        let of_day = seconds.rem_euclid(86_400);
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        let fraction = if millis == 0 { String::new() } else { format!(".{millis:03}") };
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_rfc3339())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::parse(&text).ok_or_else(|| serde::de::Error::custom("not an RFC 3339 time"))
    }
}

#[cfg(feature = "openapi")]
impl utoipa::PartialSchema for Timestamp {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(utoipa::openapi::KnownFormat::DateTime)))
            .build()
            .into()
    }
}

#[cfg(feature = "openapi")]
impl utoipa::ToSchema for Timestamp {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_instants_read_and_write_the_same() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-12-01T08:00:00Z", 1_796_112_000_000),
            ("2000-02-29T23:59:59.120Z", 951_868_799_120),
        ] {
            assert_eq!(Timestamp::parse(text), Some(Timestamp(millis)), "{text}");
            assert_eq!(Timestamp(millis).to_rfc3339(), text);
        }
        assert_eq!(Timestamp::parse("2026-12-01T16:00:00+08:00"), Timestamp::parse("2026-12-01T08:00:00Z"));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in
            ["", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-12-01", "2026-12-01T08:00:00", "昨天"]
        {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_instant_survives_a_round_trip(millis in -62_135_596_800_000i64..253_402_300_799_999) {
            prop_assert_eq!(Timestamp::parse(&Timestamp(millis).to_rfc3339()), Some(Timestamp(millis)));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in ".{0,40}") {
            let _ = Timestamp::parse(&text);
        }
    }
}
