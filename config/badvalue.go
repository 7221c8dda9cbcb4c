package config

import (
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// badValue explains a value that an option does not take.
func (l *loader) badValue(o option, t valueType, g given, err error) *Problem {
	if u, ok := errors.AsType[*unreadable](err); ok {
		p := l.unusable(g, u)
		if u.content {
			p.Code, p.Remedy = fault.BadOption, "correct the file"
		}
		return p
	}
	p := &Problem{Code: fault.BadOption, Subject: g.subject(t), Origin: g.origin, Text: err.Error()}
	if errors.Is(err, core.ErrPriceWhole) {
		p.Code = fault.PriceImplausible // whole coins where wei are meant
	}
	if !strings.HasSuffix(p.Text, "?") {
		p.Remedy = "write " + g.origin.spell(o.example(t), t.isSwitch)
	}
	return p
}

// example returns a value that works: the default where it is a plain one, or the
// type's own.
func (o option) example(t valueType) string {
	if o.preset != "" && !t.hidden && o.preset != "0" {
		return o.preset
	}
	return t.example
}
