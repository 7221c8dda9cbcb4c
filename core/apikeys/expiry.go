package apikeys

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// mostDays keeps a time span within what dates can hold: a century.
const maxDays = 36525

// ParseExpiry reads when a key ends: a date "2027-01-31", which is good to its
// end in UTC, a time "2027-01-31T12:00:00Z", or a span from now, "30d" or "12h".
// "never" is the zero time. A zero now refuses spans, for texts that are read
// again and again.
func ParseExpiry(s string, now time.Time) (time.Time, error) {
	if s == "never" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.UTC(), nil
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t.AddDate(0, 0, 1), nil
	}
	if now.IsZero() {
		return time.Time{}, errors.New("not a date like 2027-01-31 or a time like 2027-01-31T12:00:00Z")
	}
	if span, err := parseSpan(s); err == nil {
		return now.UTC().Add(span).Truncate(time.Second), nil
	}
	return time.Time{}, errors.New("not a time like 30d, 12h, 2027-01-31, 2027-01-31T12:00:00Z or never")
}

func parseSpan(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n <= 0 || n > maxDays {
			return 0, errors.New("not a number of days")
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > maxDays*24*time.Hour {
		return 0, errors.New("not a time span")
	}
	return d, nil
}
