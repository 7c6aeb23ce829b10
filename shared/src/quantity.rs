//! Kubernetes quantities: parsed exactly, compared and formatted without floating point.
//!
//! Grammar: Kubernetes API reference, "Quantity". A value is kept in thousandths as i128, so `1m` and `8Ei` both fit.

use std::cmp::Ordering;

/// A parsed quantity in thousandths of its unit (bytes, cores, devices).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity {
    thousandths: i128,
}

/// Why a text is no quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityError {
    Empty,
    /// Not a number with a known suffix.
    Malformed,
    /// A well-formed number beyond what Kubernetes stores (2^63 - 1).
    OutOfRange,
}

impl Quantity {
    pub const ZERO: Quantity = Quantity { thousandths: 0 };

    pub fn from_units(units: i64) -> Quantity {
        Quantity { thousandths: i128::from(units) * 1000 }
    }

    pub fn from_millis(millis: i64) -> Quantity {
        Quantity { thousandths: i128::from(millis) }
    }

    /// Accepts what Kubernetes accepts: sign, decimal point, suffixes `n u m k M G T P E`, `Ki Mi Gi Ti Pi Ei`,
    /// and exponents `e3`/`E3`. Fractions below a thousandth are rounded away from zero, as Kubernetes does.
    pub fn parse(text: &str) -> Result<Quantity, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::Empty);
        }
        let (negative, rest) = match text.as_bytes()[0] {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let digits_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(digits_end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return Err(QuantityError::Malformed);
        }
        let (multiplier, divisor) = scale(suffix)?;
        let mut value: i128 = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            value = value
                .checked_mul(10)
                .and_then(|v| v.checked_add(i128::from(digit - b'0')))
                .ok_or(QuantityError::OutOfRange)?;
        }
        let fraction_scale = 10i128.checked_pow(fraction.len() as u32).ok_or(QuantityError::OutOfRange)?;
        let divisor = divisor.checked_mul(fraction_scale).ok_or(QuantityError::OutOfRange)?;
        let scaled = value
            .checked_mul(multiplier)
            .and_then(|v| v.checked_mul(1000))
            .ok_or(QuantityError::OutOfRange)?;
        let thousandths = scaled / divisor + i128::from(scaled % divisor != 0);
        if thousandths > i128::from(i64::MAX) * 1000 {
            return Err(QuantityError::OutOfRange);
        }
        Ok(Quantity { thousandths: if negative { -thousandths } else { thousandths } })
    }

    /// Thousandths of the unit (milli-cores for CPU), saturating.
    pub fn millis(self) -> i64 {
        i64::try_from(self.thousandths).unwrap_or(if self.thousandths < 0 { i64::MIN } else { i64::MAX })
    }

    /// Whole units (bytes for memory), rounded away from zero.
    pub fn units(self) -> i64 {
        let up =
            self.thousandths / 1000 + self.thousandths.signum() * i128::from(self.thousandths % 1000 != 0);
        i64::try_from(up).unwrap_or(if up < 0 { i64::MIN } else { i64::MAX })
    }

    pub fn is_whole(self) -> bool {
        self.thousandths % 1000 == 0
    }

    pub fn is_negative(self) -> bool {
        self.thousandths < 0
    }

    #[must_use]
    pub fn saturating_add(self, other: Quantity) -> Quantity {
        Quantity { thousandths: self.thousandths.saturating_add(other.thousandths) }
    }

    #[must_use]
    pub fn saturating_sub(self, other: Quantity) -> Quantity {
        Quantity { thousandths: self.thousandths.saturating_sub(other.thousandths) }
    }

    pub fn compare(self, other: Quantity) -> Ordering {
        self.thousandths.cmp(&other.thousandths)
    }
}

/// Multiplier and divisor of a suffix.
fn scale(suffix: &str) -> Result<(i128, i128), QuantityError> {
    let binary = |power: u32| (1i128 << (10 * power), 1);
    let decimal = |power: u32| (10i128.pow(power), 1);
    Ok(match suffix {
        "" => (1, 1),
        "n" => (1, 1_000_000_000),
        "u" => (1, 1_000_000),
        "m" => (1, 1_000),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(1),
        "Mi" => binary(2),
        "Gi" => binary(3),
        "Ti" => binary(4),
        "Pi" => binary(5),
        "Ei" => binary(6),
        _ => {
            let digits = suffix.strip_prefix(['e', 'E']).ok_or(QuantityError::Malformed)?;
            let power: i32 = digits.parse().map_err(|_| QuantityError::Malformed)?;
            match power {
                0..=18 => decimal(power.unsigned_abs()),
                -18..=-1 => (1, 10i128.pow(power.unsigned_abs())),
                _ => return Err(QuantityError::OutOfRange),
            }
        }
    })
}

/// CPU as a manifest states it: `1500` milli-cores become `1500m`, `2000` become `2`.
pub fn format_cpu(millis: i64) -> String {
    if millis % 1000 == 0 { (millis / 1000).to_string() } else { format!("{millis}m") }
}

/// Bytes as a manifest states them: the largest binary suffix that divides exactly, plain bytes otherwise.
pub fn format_bytes(bytes: i64) -> String {
    for (power, suffix) in [(4, "Ti"), (3, "Gi"), (2, "Mi"), (1, "Ki")] {
        let unit = 1i64 << (10 * power);
        if bytes != 0 && bytes % unit == 0 {
            return format!("{}{suffix}", bytes / unit);
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn suffixes_scale_as_kubernetes_defines() {
        for (text, thousandths) in [
            ("1", 1000),
            ("500m", 500),
            ("1.5", 1500),
            ("1e3", 1_000_000),
            ("1E3", 1_000_000),
            ("8Gi", 8 * 1024 * 1024 * 1024 * 1000),
            ("1.5Gi", 1_610_612_736_000),
            ("2k", 2_000_000),
            ("-3", -3000),
            ("0.0001", 1),
            (".5", 500),
            ("5.", 5000),
        ] {
            assert_eq!(Quantity::parse(text), Ok(Quantity { thousandths }), "{text}");
        }
    }

    #[test]
    fn nonsense_is_named() {
        assert_eq!(Quantity::parse(""), Err(QuantityError::Empty));
        for text in ["Gi", "1.2.3", "1 Gi", "eight", "1gi", "1e", "八", "--1", "."] {
            assert_eq!(Quantity::parse(text), Err(QuantityError::Malformed), "{text}");
        }
        assert_eq!(Quantity::parse("99999999999999999999"), Err(QuantityError::OutOfRange));
        assert_eq!(Quantity::parse("1e400"), Err(QuantityError::OutOfRange));
    }

    proptest! {
        #[test]
        fn formatted_values_read_back(millis in 0i64..1_000_000, bytes in 0i64..i64::MAX / 1000) {
            prop_assert_eq!(Quantity::parse(&format_cpu(millis)).map(Quantity::millis), Ok(millis));
            prop_assert_eq!(Quantity::parse(&format_bytes(bytes)).map(Quantity::units), Ok(bytes));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in ".{0,40}") {
            let _ = Quantity::parse(&text);
        }
    }
}
