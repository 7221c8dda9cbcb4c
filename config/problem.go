package config

import (
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// Problem is one mistake in the configuration.
type Problem struct {
	Code fault.Code
	// Subject is the option as the operator gave it, with its value unless that
	// may be a secret: "-maxSessions zero". "" when no single option is at fault.
	Subject string
	// Origin is where the option was given.
	Origin Origin
	// Text says what is wrong, Remedy what to change it to.
	Text, Remedy string
}

// Option returns the name of the option that the problem is about, as it was given; "" for
// none.
func (p *Problem) Option() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(p.Subject, "-"), " ")
	name, _, _ = strings.Cut(name, "=")
	return name
}

// Error returns one line: code, option, place, what is wrong and what to do.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(string(p.Code))
	b.WriteString(": ")
	if p.Subject != "" {
		b.WriteString(p.Subject)
		if p.Origin.Source != FromDefault {
			b.WriteString(" (" + p.Origin.location() + ")")
		}
		b.WriteString(": ")
	}
	b.WriteString(p.Text)
	if p.Remedy != "" {
		b.WriteString("; " + p.Remedy)
	}
	return b.String()
}

// Unwrap shows the problem as a fault, so that fault.CodeOf and errors.Is work.
func (p *Problem) Unwrap() error {
	return fault.New(p.Code, "configure", p.Text)
}

// Problems are all mistakes of one configuration, in the order of their
// sources: command line, environment, file, and then what does not fit together.
type Problems = fault.List[*Problem]

// Notice is something an operator should know about an option that was
// accepted. It is printed once at the start.
type Notice struct {
	// Subject is the option as the operator gave it, without its value.
	Subject string
	Origin  Origin
	Text    string
}

// String returns one line: option, place, text.
func (n Notice) String() string {
	if n.Subject == "" {
		return n.Text
	}
	if n.Origin.Source == FromDefault {
		return n.Subject + ": " + n.Text
	}
	return n.Subject + " (" + n.Origin.location() + "): " + n.Text
}
