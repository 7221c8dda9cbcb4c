package gpus

// CheckLine is check, for lines that cannot be written.
func CheckLine(l ReportLine) string { return l.check() }
