package config

import (
	"errors"
	"strconv"
)

// Sessions is a bound on concurrent sessions.
type Sessions struct {
	// Auto admits sessions while the devices keep up with real time; N is then 0.
	Auto bool
	N    int
}

var errSessions = errors.New("not a positive number or the word auto")

// ParseSessions reads a positive number, or auto.
func ParseSessions(s string) (Sessions, error) {
	if s == "auto" {
		return Sessions{Auto: true}, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 {
		return Sessions{}, errSessions
	}
	return Sessions{N: n}, nil
}

// String writes the bound as ParseSessions reads it.
func (s Sessions) String() string {
	if s.Auto {
		return "auto"
	}
	return strconv.Itoa(s.N)
}
