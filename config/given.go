package config

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// given is one setting as it was found: its text, and where.
type given struct {
	value string
	// alone: the name was given without a value.
	alone  bool
	origin Origin
}

// subject returns the setting for a message, without its value if that may be secret.
func (g given) subject(t valueType) string {
	if t.hidden || g.alone {
		return g.origin.nameAsSpelled()
	}
	return g.origin.spell(show(g.value), t.isSwitch)
}

// show returns a given text for a message: shortened, quoted if it has characters that do not print, and
// masked if it has an @, because it may be a URL with a password.
func show(s string) string {
	if strings.Contains(s, "@") {
		return masked
	}
	const most = 60
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' || r == '"' || r == utf8.RuneError }
	if s == "" || strings.ContainsFunc(s, odd) {
		return strconv.Quote(s)
	}
	return s
}

// names finds options by spelling: a name, an alias or a former name.
type names struct {
	options []option
	bySpell map[string]int
}

func index(options []option) names {
	n := names{options: options, bySpell: map[string]int{}}
	for i, o := range options {
		for _, s := range o.spellings() {
			n.bySpell[s] = i
		}
	}
	return n
}

// find returns the option of a spelling, or nil.
func (n names) find(spelling string) *option {
	if i, ok := n.bySpell[spelling]; ok {
		return &n.options[i]
	}
	return nil
}

// spellings returns the names that are suggested for mistyped ones.
func (n names) spellings() []string {
	var all []string
	for _, o := range n.options {
		all = append(all, o.name)
		all = append(all, o.aliases...)
	}
	return all
}

func (o option) valueType() valueType { return o.to(new(Config)).about() }
