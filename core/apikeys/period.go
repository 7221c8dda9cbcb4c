package apikeys

import (
	"fmt"
	"time"
)

// Period is the time a budget is for, by the calendar in UTC.
type Period string

// The periods. Weeks begin on Monday; Total never restarts.
const (
	Day   Period = "day"
	Week  Period = "week"
	Month Period = "month"
	Total Period = "total"
)

// ParsePeriod reads a period; "" is Total.
func ParsePeriod(s string) (Period, error) {
	switch p := Period(s); p {
	case "":
		return Total, nil
	case Day, Week, Month, Total:
		return p, nil
	}
	return "", fmt.Errorf("%q is none of day, week, month, total", s)
}

// start returns when the period that holds t began, zero for Total.
func (p Period) start(t time.Time) time.Time {
	t = t.UTC()
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	switch p {
	case Day:
		return day
	case Week:
		sinceMonday := (int(t.Weekday()) + 6) % 7
		return day.AddDate(0, 0, -sinceMonday)
	case Month:
		return day.AddDate(0, 0, 1-t.Day())
	}
	return time.Time{}
}

// end returns when the period that holds t ends, zero for never.
func (p Period) end(t time.Time) time.Time {
	start := p.start(t)
	switch p {
	case Day:
		return start.AddDate(0, 0, 1)
	case Week:
		return start.AddDate(0, 0, 7)
	case Month:
		return start.AddDate(0, 1, 0)
	}
	return time.Time{}
}
