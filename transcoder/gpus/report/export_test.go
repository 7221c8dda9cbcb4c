package report

// CheckLine is check, for lines that cannot be written.
func CheckLine(l Line) error { return l.check() }
