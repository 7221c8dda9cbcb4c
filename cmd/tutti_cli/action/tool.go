package action

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/tuttinode/tutti/cmd/internal/usage"
	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/fault"
)

// Text is an answer that is a text.
type Text struct {
	Text string `json:"text"`
}

// Print writes it.
func (t Text) Print(p *console.Page) { p.Raw(t.Text) }

// Schema is an answer that is a JSON document already.
type Schema json.RawMessage

// Print writes it.
func (s Schema) Print(p *console.Page) { p.Raw(string(s)) }

// MarshalJSON returns the document.
func (s Schema) MarshalJSON() ([]byte, error) { return s, nil }

// Version is `version`.
type Version struct {
	Version string `json:"version"`
}

// Print writes it.
func (v Version) Print(p *console.Page) { p.Raw("tutti_cli " + v.Version + "\n") }

// Help is `help`: the text, and for a code what the table of conditions has.
type Help struct {
	Text      string     `json:"text"`
	Condition *Condition `json:"condition"`
}

// Condition is a row of the table of conditions.
type Condition struct {
	Code    string `json:"code"`
	Class   string `json:"class"`
	Symptom string `json:"symptom"`
	Cause   string `json:"cause"`
	Remedy  string `json:"remedy"`
}

// Print writes the text.
func (h Help) Print(p *console.Page) { p.Raw(h.Text) }

func toolVerbs() verb.Table {
	topic := verb.Field{Name: "topic", Word: true, Meta: "VERB|CODE", Help: "a verb or the code of a condition"}
	return verb.Table{
		{Name: "help", Local: true, Short: "What a verb does, or what a condition means and what to do.", Result: Help{},
			Fields: []verb.Field{topic, {Name: "word", Word: true, Meta: "WORD", Help: "the verb's second word"}}, Run: runHelp},
		{Name: "schema", Local: true, Short: "The JSON Schema of what a verb writes with --json.",
			Fields: []verb.Field{{Name: "verb", Word: true, Required: true, Meta: "VERB",
				Help: "the verb's first word, or error"}, {Name: "word", Word: true, Meta: "WORD", Help: "its second word"}},
			Run: runSchema},
		{Name: "completion", Local: true, Short: "The completion script of a shell.", Result: Text{},
			Fields: []verb.Field{{Name: "shell", Word: true, Required: true, Meta: "SHELL", Choices: usage.Shells(),
				Help: "bash, zsh or fish"}}, Run: runCompletion},
		{Name: "version", Local: true, Short: "The version of this program.", Result: Version{},
			Run: func(_ context.Context, c *verb.Call) (verb.Result, error) { return Version{c.World.Version}, nil }},
	}
}

func runHelp(_ context.Context, c *verb.Call) (verb.Result, error) {
	var b strings.Builder
	words := strings.Fields(verb.Get[string](c, "topic") + " " + verb.Get[string](c, "word"))
	if len(words) == 0 {
		err := verb.Overview(&b, Table())
		return Help{Text: b.String()}, err
	}
	if v, n := Table().Find(words); n == len(words) {
		err := verb.Help(&b, v)
		return Help{Text: b.String()}, err
	}
	if under := Table().Under(words[0]); len(under) > 0 && len(words) == 1 {
		for _, v := range under {
			b.WriteString("  tutti_cli " + v.Name + ": " + v.Short + "\n")
		}
		return Help{Text: b.String()}, nil
	}
	if err := fault.Explain(&b, words[0]); err != nil {
		if meant := Table().Nearest(words); meant != "" {
			return nil, verb.Mistake("there is no verb " + strings.Join(words, " ") + "; did you mean " + meant + "?")
		}
		return nil, verb.Mistake("there is no verb " + strings.Join(words, " ") + ", and " + err.Error())
	}
	for _, row := range fault.Table() {
		if strings.EqualFold(string(row.Code), words[0]) {
			return Help{b.String(), &Condition{string(row.Code), row.Class.String(), row.Symptom, row.Cause, row.Remedy}}, nil
		}
	}
	return Help{Text: b.String()}, nil
}

func runSchema(_ context.Context, c *verb.Call) (verb.Result, error) {
	name := strings.TrimSpace(verb.Get[string](c, "verb") + " " + verb.Get[string](c, "word"))
	content, ok := ReadSchema(name)
	if !ok {
		return nil, verb.Mistake("there is no schema of " + name + "; tutti_cli help lists the verbs")
	}
	return Schema(content), nil
}

func runCompletion(_ context.Context, c *verb.Call) (verb.Result, error) {
	var b strings.Builder
	if err := usage.WriteCompletion(&b, verb.Program, verb.Get[string](c, "shell")); err != nil {
		return nil, verb.Mistake(err.Error())
	}
	return Text{b.String()}, nil
}
