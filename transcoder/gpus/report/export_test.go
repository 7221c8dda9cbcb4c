package report

// CheckLine is check, for lines that cannot be written.
func CheckLine(l Line) string { return l.check() }
