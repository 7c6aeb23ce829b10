//! How long ago, in the few letters that kubectl shows (apimachinery `duration.HumanDuration`).

use jiff::Timestamp;

/// `<unknown>` for a time that is missing or unreadable.
pub fn since(time: Option<&str>, now: Timestamp) -> String {
    let Some(time) = time.and_then(|text| text.parse::<Timestamp>().ok()) else {
        return "<unknown>".to_owned();
    };
    let seconds = (now.as_nanosecond() - time.as_nanosecond()) / 1_000_000_000;
    match i64::try_from(seconds) {
        Ok(seconds) if seconds < -1 => "<invalid>".to_owned(),
        Ok(seconds) => human(seconds.max(0)),
        Err(_) => "<invalid>".to_owned(),
    }
}

fn human(seconds: i64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let days = hours / 24;
    let two = |big: i64, unit: &str, small: i64, small_unit: &str| {
        if small == 0 { format!("{big}{unit}") } else { format!("{big}{unit}{small}{small_unit}") }
    };
    match (seconds, minutes, hours) {
        (..120, _, _) => format!("{seconds}s"),
        (_, ..10, _) => two(minutes, "m", seconds % 60, "s"),
        (_, ..180, _) => format!("{minutes}m"),
        (_, _, ..8) => two(hours, "h", minutes % 60, "m"),
        (_, _, ..48) => format!("{hours}h"),
        (_, _, ..192) => two(days, "d", hours % 24, "h"),
        _ if days < 365 * 2 => format!("{days}d"),
        _ if days < 365 * 8 => two(days / 365, "y", days % 365, "d"),
        _ => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_further_back_the_coarser() {
        let cases = [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (600, "10m"),
            (3 * 3600, "3h"),
            (3 * 3600 + 300, "3h5m"),
            (9 * 3600, "9h"),
            (50 * 3600, "2d2h"),
            (9 * 86400, "9d"),
            (3 * 365 * 86400, "3y"),
        ];
        for (seconds, shown) in cases {
            assert_eq!(human(seconds), shown);
        }
    }

    #[test]
    fn a_missing_time_is_unknown() {
        assert_eq!(since(None, Timestamp::UNIX_EPOCH), "<unknown>");
    }
}
