package verb

import (
	"errors"
	"flag"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// Mistake is a command line that cannot be read.
func Mistake(detail string) error {
	return fault.New(fault.CommandLineInvalid, "read the command line", detail)
}

// ParseGlobals reads the options before the verb and returns the rest.
func ParseGlobals(s *Settings, args []string) ([]string, error) {
	f := s.Bind("tutti_cli")
	if err := f.Parse(args); err != nil && !errors.Is(err, flag.ErrHelp) {
		return nil, Mistake(flagText(err))
	}
	return f.Args(), nil
}

// Parse reads the options and words of a verb into texts; options and words may
// be mixed.
func (v *Verb) Parse(s *Settings, args []string) (map[string]string, error) {
	f := s.Bind(v.Name)
	texts := make(map[string]string)
	for i := range v.Fields {
		v.Fields[i].bind(f, texts)
	}
	var words []string
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return nil, Mistake(flagText(err) + "; tutti_cli help " + v.Name + " lists the options")
		}
		rest := f.Args()
		// What stands behind -- is words only.
		if at := len(args) - len(rest) - 1; at >= 0 && args[at] == "--" {
			words, rest = append(words, rest...), nil
		}
		if len(rest) > 0 {
			words, rest = append(words, rest[0]), rest[1:]
		}
		args = rest
	}
	for _, w := range words {
		at := slices.IndexFunc(v.Fields, func(f Field) bool { _, given := texts[f.Name]; return f.Word && !given })
		if at < 0 {
			return nil, Mistake("“" + w + "” was not expected; tutti_cli help " + v.Name + " says what is")
		}
		texts[v.Fields[at].Name] = w
	}
	return texts, s.check()
}

// flagText writes the flag package's mistakes with two dashes, as the help does.
func flagText(err error) string {
	return strings.Replace(err.Error(), "not defined: -", "unknown: --", 1)
}

func (f *Field) bind(set *flag.FlagSet, texts map[string]string) {
	if f.Switch {
		set.BoolFunc(f.Name, "", func(text string) error {
			if text != "true" && text != "false" {
				return errors.New("it is a switch and has no value")
			}
			texts[f.Name] = text
			return nil
		})
		return
	}
	set.Func(f.Name, "", func(text string) error { texts[f.Name] = text; return nil })
}

// check validates the options that every verb takes.
func (s *Settings) check() error {
	switch {
	case !slices.Contains([]string{WaitSubmitted, WaitMined, WaitFinal}, s.Wait):
		return Mistake("--wait is submitted, mined or final")
	case s.Timeout <= 0:
		return Mistake("--timeout is a time above 0, such as 90s or 10m")
	case s.Port < 1 || s.Port > 65535:
		return Mistake("--http is a port from 1 to 65535")
	}
	return nil
}
