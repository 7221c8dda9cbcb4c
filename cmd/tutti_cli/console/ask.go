package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/tuttinode/tutti/core/fault"
)

// declined is what an input that ended says.
func declined(op string) error {
	return fault.New(fault.ActionDeclined, op, "the input ended before the answer")
}

func (c *Console) answer(ctx context.Context, op string) (string, error) {
	text, err := c.read(ctx)
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(c.tell)
		return "", declined(op)
	}
	return strings.TrimSpace(text), err
}

// Ask asks for a text. An empty line is the default.
func (c *Console) Ask(ctx context.Context, question, standard string) (string, error) {
	prompt := question
	if standard != "" {
		prompt += " (default: " + standard + ")"
	}
	fmt.Fprint(c.tell, prompt+" > ")
	text, err := c.answer(ctx, question)
	if text == "" {
		text = standard
	}
	return text, err
}

// Confirm asks a question that only yes answers with yes.
func (c *Console) Confirm(ctx context.Context, question string) (bool, error) {
	for {
		fmt.Fprint(c.tell, question+" [y/N] > ")
		text, err := c.answer(ctx, question)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(text) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			return false, nil
		}
		c.Tell("Please answer y or n.")
	}
}

// Choose asks for one of several numbered answers and returns its index.
func (c *Console) Choose(ctx context.Context, question string, answers []string) (int, error) {
	for i, a := range answers {
		fmt.Fprintf(c.tell, "  %*d. %s\n", digits(len(answers)), i+1, a)
	}
	for {
		fmt.Fprint(c.tell, question+" > ")
		text, err := c.answer(ctx, question)
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(answers) {
			return n - 1, nil
		}
		c.Tell("Please type a number from 1 to %d.", len(answers))
	}
}

func digits(n int) int { return len(strconv.Itoa(n)) }

// Lines asks for a text of several lines, up to a line with nothing but a full
// stop or the end of input.
func (c *Console) Lines(ctx context.Context, question string) (string, error) {
	c.Tell("%s (several lines are possible; a line with only a full stop, or Ctrl-D, ends it)", question)
	var all []string
	for {
		text, err := c.read(ctx)
		if errors.Is(err, io.EOF) || err == nil && text == "." {
			return strings.Join(all, "\n"), nil
		}
		if err != nil {
			return "", err
		}
		all = append(all, text)
	}
}

// Secret asks for a text that is not shown while it is typed. The terminal shows
// what is typed again afterwards, also after an interruption.
func (c *Console) Secret(ctx context.Context, question string) (string, error) {
	fd := int(c.in.Fd())
	if term.IsTerminal(fd) {
		// Before the question, so that no fast typist is shown.
		restore, err := hide(fd)
		if err != nil {
			return "", fmt.Errorf("hide what is typed: %w", err)
		}
		defer restore()
	}
	fmt.Fprint(c.tell, question+" > ")
	defer fmt.Fprintln(c.tell)
	text, err := c.read(ctx)
	if errors.Is(err, io.EOF) {
		return "", declined(question)
	}
	return text, err
}
