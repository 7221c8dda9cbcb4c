package verb

import (
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// A reading is one way to understand a text.
type reading struct {
	// Label says it to people: "10 %".
	Label string
	// Text, parsed with Trust, is this reading and nothing else.
	Text string
}

// UnusualInput is a value that can be read and is most likely not meant. As an error
// it is the refusal that a script gets.
type UnusualInput struct {
	// Why is one sentence.
	Why string
	// Readings are the ways to understand it; the first is as it was typed.
	Readings []reading
}

// Error says why, and how to write each reading so that it is accepted.
func (d *UnusualInput) Error() string {
	var b strings.Builder
	b.WriteString(d.Why)
	for i, r := range d.Readings {
		b.WriteString("; ")
		if i == 0 {
			b.WriteString("add --allow-unusual to keep " + r.Label)
		} else {
			b.WriteString("write " + r.Text + " for " + r.Label)
		}
	}
	return b.String()
}

// Fault is the refusal with its code.
func (d *UnusualInput) Fault(op string) error { return fault.New(fault.ValueUnusual, op, d.Error()) }

// InputCheck is how strictly a text is checked.
type InputCheck bool

// Trust takes a readable value as it is; Strict refuses what is unusual.
const (
	Strict InputCheck = false
	Trust  InputCheck = true
)
