package verb

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/core/fault"
)

// Collect reads what was given, and asks for what is missing where a prompt is
// possible: for everything in the menu, else for what the verb cannot do without.
func (c *Call) Collect(ctx context.Context) error {
	if c.Verb.Before != nil {
		if err := c.Verb.Before(ctx, c); err != nil {
			return err
		}
	}
	for i := range c.Verb.Fields {
		f := &c.Verb.Fields[i]
		if text, given := c.texts[f.Name]; given {
			if err := c.take(ctx, f, text); err != nil {
				return err
			}
		}
	}
	if c.Menu {
		return c.askAll(ctx)
	}
	for i := range c.Verb.Fields {
		f := &c.Verb.Fields[i]
		if !f.Required || c.Has(f.Name) {
			continue
		}
		if err := c.AskField(ctx, f.Name); err != nil {
			return err
		}
	}
	return nil
}

// Complete names the first field that the verb cannot do without, that was not
// given and cannot be prompted for: before anything else is checked.
func (c *Call) Complete() error {
	for _, f := range c.Verb.Fields {
		if _, given := c.texts[f.Name]; given || !f.Required || c.Menu || c.CanAsk() && f.Question != "" {
			continue
		}
		name := "--" + f.Name + " " + f.Meta
		if f.Word {
			name = f.Meta
		}
		return Mistake(name + " is missing; tutti_cli help " + c.Verb.Name + " says more")
	}
	return nil
}

func (c *Call) askAll(ctx context.Context) error {
	if c.Verb.Ask != nil {
		return c.Verb.Ask(ctx, c)
	}
	for _, f := range c.Verb.Fields {
		if f.Question == "" {
			continue
		}
		if err := c.AskField(ctx, f.Name); err != nil {
			return err
		}
	}
	return nil
}

// AskField asks for one field until the answer can be read.
func (c *Call) AskField(ctx context.Context, name string) error {
	f := c.Verb.Field(name)
	return c.ask(ctx, f, f.Required)
}

// AskNeeded is AskField for a field that this use of the verb cannot do without.
func (c *Call) AskNeeded(ctx context.Context, name string) error {
	return c.ask(ctx, c.Verb.Field(name), true)
}

func (c *Call) ask(ctx context.Context, f *Field, needed bool) error {
	if f.Explain != "" {
		c.Report("%s", f.Explain)
	}
	if f.Switch {
		yes, err := c.Confirm(ctx, f.Question)
		c.values[f.Name] = yes
		return err
	}
	preset, err := c.preset(ctx, f)
	if err != nil {
		return err
	}
	for {
		text, err := c.Ask(ctx, f.Question, preset)
		if err != nil {
			return err
		}
		if text == "" && !needed {
			return nil
		}
		err = c.take(ctx, f, text)
		switch {
		case errors.Is(err, errAgain):
		case errors.Is(err, fault.CommandLineInvalid):
			c.Report("%s", c.ReportStyle.Bad(node.Explain(err).Message))
		default:
			return err
		}
	}
}

// preset returns the value that an empty answer stands for.
func (c *Call) preset(ctx context.Context, f *Field) (string, error) {
	if f.Suggest == nil {
		return f.Default, nil
	}
	text, err := f.Suggest(ctx, c)
	if text == "" {
		text = f.Default
	}
	return text, err
}

// errAgain asks for the value again.
var errAgain = errors.New("type it again")

// take reads a value. An unusual value becomes a question, or a refusal where no
// prompt is possible.
func (c *Call) take(ctx context.Context, f *Field, text string) error {
	value, err := c.read(f, text, InputCheck(c.Set.Unusual))
	if d, ok := errors.AsType[*UnusualInput](err); ok {
		if !c.CanAsk() {
			return d.Fault("read --" + f.Name)
		}
		value, err = c.settle(ctx, f, d)
	}
	if err != nil {
		if errors.Is(err, errAgain) || fault.CodeOf(err) != fault.Unexpected || ctx.Err() != nil {
			return err
		}
		return Mistake(f.label() + ": " + err.Error())
	}
	c.values[f.Name] = value
	return nil
}

func (f *Field) label() string {
	if f.Word {
		return f.Meta
	}
	return "--" + f.Name
}

func (c *Call) read(f *Field, text string, check InputCheck) (any, error) {
	switch {
	case f.Switch:
		return text == "true", nil
	case len(f.Choices) > 0 && !slices.Contains(f.Choices, text):
		return nil, errors.New("it is one of " + strings.Join(f.Choices, ", "))
	case f.Parse == nil:
		return text, nil
	}
	return f.Parse(c, text, check)
}

// settle asks which reading of an unusual value is meant.
func (c *Call) settle(ctx context.Context, f *Field, d *UnusualInput) (any, error) {
	c.Report("%s", c.ReportStyle.Warn("This is unusual: "+d.Why+"."))
	var answers []string
	for _, r := range d.Readings {
		answers = append(answers, r.Label)
	}
	answers[0] = "keep it: " + answers[0]
	if !c.Menu {
		answers = append(answers, "stop")
	} else {
		answers = append(answers, "type it again")
	}
	n, err := c.Choose(ctx, "Which is meant?", answers)
	switch {
	case err != nil:
		return nil, err
	case n < len(d.Readings):
		return c.read(f, d.Readings[n].Text, Trust)
	case c.Menu:
		return nil, errAgain
	}
	return nil, fault.New(fault.ActionDeclined, "read --"+f.Name, "the value was not meant; nothing was sent")
}

// Given reports whether a field stands on the command line.
func (c *Call) Given(name string) bool { _, given := c.texts[name]; return given }

// Has reports whether a field has a value.
func (c *Call) Has(name string) bool { _, ok := c.values[name]; return ok }

// Put gives a field a value.
func (c *Call) Put(name string, value any) { c.values[name] = value }

// Get returns a field's value, the zero value where it has none.
func Get[T any](c *Call, name string) T {
	v, _ := c.values[name].(T)
	return v
}

// Ref returns a field's value, nil where it has none: what is absent stays as it is.
func Ref[T any](c *Call, name string) *T {
	v, ok := c.values[name].(T)
	if !ok {
		return nil
	}
	return &v
}
