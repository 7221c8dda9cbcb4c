package config

import (
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// argParser reads a command line in the syntax of Go's flag package: one or two
// dashes, "-name value" or "-name=value", switches only with "=". Unlike that
// package it does not stop at the first mistake.
type argParser struct {
	names    names
	rest     []string
	found    map[string][]given
	problems []*Problem
	// meant are options that a mistyped name probably stands for.
	meant map[string]bool
	// secretBefore: the option before took a secret, so what follows may be the
	// rest of it and is not shown.
	secretBefore bool
}

func parseArgs(args []string, n names) *argParser {
	p := &argParser{names: n, rest: args, found: map[string][]given{}, meant: map[string]bool{}}
	var last *given
	for len(p.rest) > 0 {
		word := p.take()
		switch {
		case word == "--":
			for len(p.rest) > 0 {
				p.unexpected(p.take(), nil)
			}
		case word == "-" || !strings.HasPrefix(word, "-"):
			p.unexpected(word, last)
			last = nil
		default:
			last = p.flag(word)
		}
	}
	return p
}

func (p *argParser) take() string {
	word := p.rest[0]
	p.rest = p.rest[1:]
	return word
}

// flag reads one option. It returns it when it is a switch that was given
// alone, so that a true or false behind it can be explained.
func (p *argParser) flag(word string) *given {
	name := strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-")
	name, value, hasValue := strings.Cut(name, "=")
	p.secretBefore = false
	g := given{value: value, alone: !hasValue, origin: Origin{Source: FromFlag, Name: name}}
	o := p.names.find(name)
	if o == nil {
		p.unknown(word, name)
		if !hasValue && len(p.rest) > 0 && !strings.HasPrefix(p.rest[0], "-") {
			p.take()
		}
		return nil
	}
	t := o.valueType()
	if !hasValue && !t.isSwitch {
		if len(p.rest) == 0 || p.isFlag(p.rest[0]) {
			p.problems = append(p.problems, &Problem{Code: fault.BadOption, Subject: g.subject(t), Origin: g.origin,
				Text: "the value is missing", Remedy: "write " + g.origin.spell(t.example, false)})
			p.meant[o.name] = true
			return nil
		}
		g.value, g.alone = p.take(), false
	}
	p.secretBefore = t.hidden
	if g.alone {
		g.value = "true"
	}
	p.found[o.name] = append(p.found[o.name], g)
	if t.isSwitch && g.alone {
		return &g
	}
	return nil
}

// isFlag reports whether a word is a known option and so no other's value.
func (p *argParser) isFlag(word string) bool {
	if !strings.HasPrefix(word, "-") {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return p.names.find(name) != nil
}

func (p *argParser) unknown(word, name string) {
	dashed, _, _ := strings.Cut(word, "=")
	if name == "" || strings.HasPrefix(name, "-") {
		p.problems = append(p.problems, &Problem{Code: fault.UnknownOption, Subject: show(dashed),
			Origin: Origin{Source: FromFlag},
			Text:   "this is not an option", Remedy: "write -name value or -name=value"})
		return
	}
	if instead, ok := retired()[name]; ok {
		p.problems = append(p.problems, &Problem{Code: fault.OptionRetired, Subject: "-" + name,
			Origin: Origin{Source: FromFlag, Name: name},
			Text:   "this option no longer exists", Remedy: instead})
		return
	}
	problem := &Problem{Code: fault.UnknownOption, Subject: show(dashed), Origin: Origin{Source: FromFlag, Name: name},
		Text: "there is no such option", Remedy: "tutti -help lists all options"}
	if close, _ := fault.SuggestName(name, p.names.spellings()); close != "" {
		problem.Remedy = "did you mean -" + close + "?"
		p.meant[p.names.find(close).name] = true
	}
	p.problems = append(p.problems, problem)
}

func (p *argParser) unexpected(word string, last *given) {
	problem := &Problem{Code: fault.UnexpectedArgument, Subject: show(word), Origin: Origin{Source: FromFlag},
		Text: "this word belongs to no option", Remedy: "delete it, or put quotes around a value that holds spaces"}
	if p.secretBefore {
		problem.Subject = masked
	}
	if last != nil {
		if _, err := parseBool(word); err == nil {
			problem.Subject = last.origin.nameAsSpelled() + " " + show(word)
			problem.Text = "a switch does not take the next word as its value"
			problem.Remedy = "write " + last.origin.spell(word, true)
			// What was meant is what the operator sees in `config check`.
			all := p.found[p.names.find(last.origin.Name).name]
			all[len(all)-1].value = word
		}
	}
	p.problems = append(p.problems, problem)
}
