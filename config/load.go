package config

import (
	"github.com/tuttinode/tutti/core/fault"
)

// Load reads the configuration. Precedence is command line, environment
// (TUTTI_ before LP_), file, default.
//
// The error is of type Problems and holds every mistake; the Config that comes
// with it is fit only for WriteCheck. Notices are to be shown once. When the
// command line asks for information only (see Process.Informational) nothing
// else is checked.
func Load(in Input) (*Config, []Notice, error) {
	l := newLoader(&in)
	l.gather()
	l.assign()
	if !l.config.Process.Informational() {
		l.validate()
	} else {
		l.problems = l.argProblems
	}
	l.config.settings = l.settings()
	if len(l.problems) > 0 {
		return l.config, l.notices, Problems(l.problems)
	}
	return l.config, l.notices, nil
}

// loader is the state of one Load.
type loader struct {
	in     *Input
	names  names
	config *Config
	// levels are what was found, the strongest source first.
	levels []map[string][]given
	// chosen is what each option's value was taken from.
	chosen map[string]given
	// flagged options have a problem of their own; what follows from it is not
	// reported again.
	flagged map[string]bool
	// invalid options have a value that could not be read.
	invalid     map[string]bool
	argProblems []*Problem
	problems    []*Problem
	notices     []Notice
}

func newLoader(in *Input) *loader {
	return &loader{in: in, names: index(table()), config: new(Config),
		flagged: map[string]bool{}, invalid: map[string]bool{}, chosen: map[string]given{}}
}

func (l *loader) problem(p *Problem) { l.problems = append(l.problems, p) }

// gather parses the three sources.
func (l *loader) gather() {
	args := parseArgs(l.in.Args, l.names)
	l.argProblems = args.problems
	l.problems = append(l.problems, args.problems...)
	env, notices := parseEnviron(l.in.Environ, l.names)
	l.notices = append(l.notices, notices...)
	l.levels = []map[string][]given{args.found, env}
	l.flagAll(args.meant)

	file, ok := l.pick("config")
	if !ok || file.value == "" {
		return
	}
	content, err := l.in.readText(file.value)
	if err != nil {
		l.problem(l.unusable(file, err))
		// The file's settings are unknown.
		for _, o := range l.names.options {
			l.flagged[o.name] = true
		}
		return
	}
	found, problems, meant := parseFile(file.value, content, l.names)
	l.problems = append(l.problems, problems...)
	l.levels = append(l.levels, found)
	l.flagAll(meant)
}

func (l *loader) flagAll(meant map[string]bool) {
	for name := range meant {
		l.flagged[name] = true
	}
}

// unusable explains a file that an option names and that cannot be read.
func (l *loader) unusable(g given, err error) *Problem {
	return &Problem{Code: fault.ConfigUnreadable, Subject: g.origin.nameAsSpelled(), Origin: g.origin,
		Text: err.Error(), Remedy: "correct the path or the file's rights"}
}

// pick returns what an option's value is taken from: the last one given at the
// strongest source.
func (l *loader) pick(name string) (given, bool) {
	for _, level := range l.levels {
		if all := level[name]; len(all) > 0 {
			return all[len(all)-1], true
		}
	}
	return given{}, false
}

// assign gives every option its value, or its default.
func (l *loader) assign() {
	for _, o := range l.names.options {
		v := o.to(l.config)
		if o.preset != "" {
			if err := v.set(o.preset, l.in); err != nil {
				panic("config: the default of -" + o.name + " is not valid: " + err.Error())
			}
		}
		g, ok := l.pick(o.name)
		if !ok {
			continue
		}
		l.disagree(o, v.about())
		if g.value == "" {
			l.notices = append(l.notices, Notice{Subject: g.origin.nameAsSpelled(), Origin: g.origin,
				Text: "is empty and counts as not given"})
			continue
		}
		l.chosen[o.name] = g
		if err := v.set(g.value, l.in); err != nil {
			l.flagged[o.name], l.invalid[o.name] = true, true
			l.problem(l.badValue(o, v.about(), g, err))
		}
	}
}

// disagree reports two spellings of one option that ask for different things at
// the same source. The same spelling twice is a repetition: the last counts.
func (l *loader) disagree(o option, t valueType) {
	for _, level := range l.levels {
		all := level[o.name]
		if len(all) == 0 {
			continue
		}
		last := all[len(all)-1]
		for _, g := range all[:len(all)-1] {
			if g.origin.Name != last.origin.Name && g.value != last.value {
				l.flagged[o.name] = true
				l.problem(&Problem{Code: fault.OptionConflict, Subject: g.subject(t) + " and " + last.subject(t),
					Origin: last.origin,
					Text:   "these are one setting with two values", Remedy: "keep one of them"})
				return
			}
		}
		return
	}
}
