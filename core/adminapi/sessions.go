package adminapi

import (
	"encoding/json"
	"errors"
	"strconv"
)

// MaxSessions is a limit of sessions: "auto", a number of at least 1 in decimal,
// or empty where there is none. JSON has the number as a number; a string of
// digits is read as well.
type MaxSessions string

// Auto leaves the limit to the node.
const Auto MaxSessions = "auto"

var errSessions = errors.New(`must be a number of at least 1, or "auto"`)

// Number returns the limit, 0 for Auto. The error says that it is neither.
func (m MaxSessions) Number() (int, error) {
	if m == Auto {
		return 0, nil
	}
	n, err := strconv.Atoi(string(m))
	if err != nil || n < 1 {
		return 0, errSessions
	}
	return n, nil
}

// MarshalJSON writes a number where it is one.
func (m MaxSessions) MarshalJSON() ([]byte, error) {
	if n, err := m.Number(); err == nil && n > 0 {
		return json.Marshal(n)
	}
	return json.Marshal(string(m))
}

// UnmarshalJSON reads a number or a string.
func (m *MaxSessions) UnmarshalJSON(data []byte) error {
	var n int
	if json.Unmarshal(data, &n) == nil {
		*m = MaxSessions(strconv.Itoa(n))
		return nil
	}
	var s string
	if json.Unmarshal(data, &s) != nil {
		return errSessions
	}
	*m = MaxSessions(s)
	return nil
}
