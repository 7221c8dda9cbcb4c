package metrics

import (
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core"
)

// Limits of label values that peers choose.
const (
	maxLabelBytes = 200
	maxValues     = 200
)

// otherValue stands for the values past maxValues.
const otherValue = "other"

// values bounds the number of a label's values. Peers choose profile names, and hooks
// orchestrators; without a bound each new one would be a permanent series.
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

// performers bounds the label sets of series by renditions and orchestrator:
// clients choose the names of renditions, orchestrators their addresses and versions.
type performers struct {
	mu   sync.Mutex
	seen map[performed][]string // guarded by mu
}

// performed are renditions and the orchestrator that made them.
type performed struct {
	profiles string
	by       core.Performer
}

func newPerformers() *performers { return &performers{seen: make(map[performed][]string)} }

// of returns the values of byPerformer, otherValue for each when there are too many.
func (p *performers) of(profiles string, by core.Performer) []string {
	by = core.Performer{URI: cleanLabel(by.URI), Address: cleanLabel(by.Address), Version: cleanLabel(by.Version)}
	key := performed{profiles, by}
	p.mu.Lock()
	defer p.mu.Unlock()
	if v := p.seen[key]; v != nil {
		return v
	}
	if len(p.seen) >= maxFlows {
		return []string{otherValue, otherValue, otherValue, otherValue}
	}
	v := []string{profiles, by.URI, by.Address, by.Version}
	p.seen[key] = v
	return v
}

// byPerformer returns the labels of segments by renditions and orchestrator.
func byPerformer() []string { return append([]string{"profiles"}, performerLabels()...) }

// cleanLabel makes text valid as a label value, which must be UTF-8.
func cleanLabel(s string) string {
	if len(s) > maxLabelBytes {
		s = s[:maxLabelBytes]
	}
	return strings.ToValidUTF8(s, "")
}
