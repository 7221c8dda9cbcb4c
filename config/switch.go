package config

import "strconv"

// Switch is a boolean that can also be unset, for options where "not given" and
// "false" mean different things.
type Switch int

// The states of a Switch.
const (
	Unset Switch = iota
	Off
	On
)

// ParseSwitch reads the words Go's strconv.ParseBool knows.
func ParseSwitch(s string) (Switch, error) {
	b, err := parseBool(s)
	if err != nil {
		return Unset, err
	}
	if b {
		return On, nil
	}
	return Off, nil
}

// Or returns the switch's position, or fallback while it is unset.
func (s Switch) Or(fallback bool) bool {
	if s == Unset {
		return fallback
	}
	return s == On
}

// String is "true", "false" or "".
func (s Switch) String() string {
	if s == Unset {
		return ""
	}
	return strconv.FormatBool(s == On)
}
