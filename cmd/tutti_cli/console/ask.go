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

// declined returns the error of a question whose input ended before an answer.
func declined(op string) error {
	return fault.New(fault.ActionDeclined, op, "the input ended before the answer")
}

func (c *Console) answer(ctx context.Context, op string) (string, error) {
	text, err := c.read(ctx)
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(c.report)
		return "", declined(op)
	}
	return strings.TrimSpace(text), err
}

// Ask asks for a line of text. An empty line returns preset.
func (c *Console) Ask(ctx context.Context, question, preset string) (string, error) {
	prompt := question
	if preset != "" {
		prompt += " (default: " + preset + ")"
	}
	fmt.Fprint(c.report, prompt+" > ")
	text, err := c.answer(ctx, question)
	if text == "" {
		text = preset
	}
	return text, err
}

// Confirm asks a yes-or-no question. An empty line means no.
func (c *Console) Confirm(ctx context.Context, question string) (bool, error) {
	for {
		fmt.Fprint(c.report, question+" [y/N] > ")
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
		c.Report("Please answer y or n.")
	}
}

// Choose asks for one of several numbered answers and returns its index.
func (c *Console) Choose(ctx context.Context, question string, answers []string) (int, error) {
	for i, a := range answers {
		fmt.Fprintf(c.report, "  %*d. %s\n", digits(len(answers)), i+1, a)
	}
	for {
		fmt.Fprint(c.report, question+" > ")
		text, err := c.answer(ctx, question)
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(answers) {
			return n - 1, nil
		}
		c.Report("Please type a number from 1 to %d.", len(answers))
	}
}

func digits(n int) int { return len(strconv.Itoa(n)) }

// Lines asks for text of several lines. A line that is only a full stop, or the end of input, ends it.
func (c *Console) Lines(ctx context.Context, question string) (string, error) {
	c.Report("%s (several lines are possible; a line with only a full stop, or Ctrl-D, ends it)", question)
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

// Secret asks for text with the terminal's echo off. The echo is on again when Secret returns,
// also after an interruption.
func (c *Console) Secret(ctx context.Context, question string) (string, error) {
	fd := int(c.in.Fd())
	if term.IsTerminal(fd) {
		// Before the prompt: characters that are typed early are not echoed either.
		restore, err := hide(fd)
		if err != nil {
			return "", fmt.Errorf("turn off the terminal's echo: %w", err)
		}
		defer restore()
	}
	fmt.Fprint(c.report, question+" > ")
	defer fmt.Fprintln(c.report)
	text, err := c.read(ctx)
	if errors.Is(err, io.EOF) {
		return "", declined(question)
	}
	return text, err
}
