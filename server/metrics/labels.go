package metrics

import (
	"strings"
	"sync"
)

// Limits of label values that others choose.
const (
	maxLabelBytes = 200
	maxValues     = 200
)

// otherValue stands for the values past maxValues.
const otherValue = "other"

// values lets a label have a bounded number of values. Peers choose profile
// names, and hooks orchestrators; without a bound each new one would be a series
// for ever.
type values struct {
	mu   sync.Mutex
	seen map[string]bool // guarded by mu
}

func newValues() *values { return &values{seen: make(map[string]bool)} }

// of returns the value itself, or otherValue when there are too many.
func (v *values) of(s string) string {
	s = cleanLabel(s)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seen[s] {
		return s
	}
	if len(v.seen) >= maxValues {
		return otherValue
	}
	v.seen[s] = true
	return s
}

// cleanLabel makes text fit for a label value, which must be UTF-8.
func cleanLabel(s string) string {
	if len(s) > maxLabelBytes {
		s = s[:maxLabelBytes]
	}
	return strings.ToValidUTF8(s, "")
}
