// Package amount reads and writes the values that an operator types: stake,
// ether, cuts, prices, addresses. It never guesses: a text that can be read in
// two ways, or in one that is most likely not meant, comes back as an Unusual.
//
// It prompts for nothing and knows no node; the verbs of tutti_cli call it, and decide
// whether an unusual value is a question or a refusal.
package amount

import (
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// A Reading is one way to understand a text.
type Reading struct {
	// Label says it to people: "10 %".
	Label string
	// Text, parsed with Trust, is this reading and nothing else.
	Text string
}

// Unusual is a value that can be read and is most likely not meant. As an error
// it is the refusal that a script gets.
type Unusual struct {
	// Why is one sentence.
	Why string
	// Readings are the ways to understand it; the first is as it was typed.
	Readings []Reading
}

// Error says why, and how to write each reading so that it is accepted.
func (d *Unusual) Error() string {
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
func (d *Unusual) Fault(op string) error { return fault.New(fault.ValueUnusual, op, d.Error()) }

// Check is how strictly a text is checked.
type Check bool

// Trust takes a readable value as it is; Strict refuses what is unusual.
const (
	Strict Check = false
	Trust  Check = true
)
