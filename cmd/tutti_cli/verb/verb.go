// Package verb is the form of what tutti_cli can do: a table of verbs with their
// fields, from which the command line, the menu, the help, the completions, the
// manual page and the schemas all derive. It also holds what verbs share: reading
// fields, asking for what is missing, confirming, sending and following.
//
// It holds no verb itself: package action fills the table, and main chooses a
// verb by words or by the menu.
//
// The help, the page of the documents and the manual page are derived from the same table, so that
// none of them can promise what is not there.
//
// stake.go, ether.go, cut.go, gas.go, price.go and address.go read and write the values that an
// operator types. They never guess: a text that can be read in two ways, or in one that is most
// likely not meant, comes back as an UnusualInput.
package verb

import (
	"context"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/core/fault"
)

// Audience says on which nodes a menu shows a verb. The command line has all.
type Audience uint8

// The audiences.
const (
	AllNodes Audience = iota
	Orchestrators
	Gateways
	TestNetworks
)

// A Verb is one thing to do.
type Verb struct {
	// Name is its words: "stake bond".
	Name string
	// Menu is its entry in the menu, "" for none.
	Menu string
	// For, Chain: the roles that show it in the menu; whether it needs the chain.
	For   Audience
	Chain bool
	// Changes: it changes something and has to be confirmed.
	Changes bool
	// Local: it needs no running node.
	Local bool
	// Short is a line; Long, if any, follows it in the help.
	Short, Long string
	Fields      []Field
	// Result is an example of what Run returns, for the schema; nil where the
	// output is text as it is.
	Result Result
	// Before learns what reading the fields needs; nil for nothing.
	Before func(ctx context.Context, c *Call) error
	// Ask asks for the fields in the menu; nil asks for each that has a Question.
	Ask func(ctx context.Context, c *Call) error
	// Run does it.
	Run func(ctx context.Context, c *Call) (Result, error)
}

// Words returns the words of the name.
func (v *Verb) Words() []string { return strings.Fields(v.Name) }

// Wish returns what was asked for in a line: the name, and the fields that were given.
func (v *Verb) Wish(texts map[string]string) string {
	var given []string
	for _, f := range v.Fields {
		switch text, ok := texts[f.Name]; {
		case !ok:
		case f.Switch:
			given = append(given, f.Name)
		default:
			given = append(given, f.Name+" "+text)
		}
	}
	if len(given) == 0 {
		return v.Name
	}
	return v.Name + ": " + strings.Join(given, ", ")
}

// Field finds a field.
func (v *Verb) Field(name string) *Field {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return &v.Fields[i]
		}
	}
	return nil
}

// Result is what came of a verb: marshaled it is the JSON answer.
type Result interface {
	// Print writes it for people.
	Print(p *console.Page)
}

// Failing is a Result that is written and is a failure all the same.
type Failing interface {
	Result
	// Failed reports whether the exit status is one of failure.
	Failed() bool
}

// A Field is one value that a verb takes.
type Field struct {
	// Name is the option's, without dashes.
	Name string
	// Word: it may be given as a plain word behind the verb.
	Word bool
	// Meta stands for the value in the help: PERCENT.
	Meta string
	// Help is a line.
	Help string
	// Required: the verb cannot run without it.
	Required bool
	// Switch: it has no value.
	Switch bool
	// Choices are the values, where these are few.
	Choices []string
	// Explain and Question are what the menu says; without Question it does not ask.
	Explain, Question string
	// Default is what an empty answer in the menu stands for.
	Default string
	// Suggest gives a default that the node knows; "" falls back to Default.
	Suggest func(ctx context.Context, c *Call) (string, error)
	// Parse reads the value. Its error may be an *UnusualInput. Nil keeps the text.
	Parse func(c *Call, text string, check InputCheck) (any, error)
}

// Table is all verbs in the order of the documents.
type Table []*Verb

// Find finds the verb that the first words name, the longest name first, and
// how many words it took.
func (t Table) Find(words []string) (*Verb, int) {
	var best *Verb
	n := 0
	for _, v := range t {
		name := v.Words()
		if len(name) > n && len(name) <= len(words) && strings.Join(words[:len(name)], " ") == v.Name {
			best, n = v, len(name)
		}
	}
	return best, n
}

// Nearest returns the name of the verb that was meant by mistyped words; "" when none is near.
func (t Table) Nearest(words []string) string {
	var names []string
	for _, v := range t {
		names = append(names, v.Name)
	}
	for _, n := range []int{2, 1} {
		if n > len(words) {
			continue
		}
		if name, _ := fault.SuggestName(strings.Join(words[:n], " "), names); name != "" {
			return name
		}
	}
	return ""
}

// Under returns the verbs whose names begin with a word.
func (t Table) Under(word string) Table {
	var out Table
	for _, v := range t {
		if words := v.Words(); len(words) > 1 && words[0] == word {
			out = append(out, v)
		}
	}
	return out
}
