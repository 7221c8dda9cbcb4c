package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// Menu is one use of it.
type Menu struct {
	Console *console.Console
	Table   verb.Table
	// Call begins a use of a verb, Failed reports one that failed.
	Call   func(*verb.Verb) *verb.Call
	Failed func(error)
}

// Run shows the menu until the operator leaves. The first look at the node is the
// status page; where that fails, so does the menu.
func (m *Menu) Run(ctx context.Context) error {
	first := m.Call(m.Table[0])
	about, err := first.About(ctx)
	if err != nil {
		return err
	}
	if err := m.do(ctx, m.Table[0]); err != nil {
		return err
	}
	for {
		entries := m.entries(about)
		m.show(about, entries)
		v, err := m.choose(ctx, entries)
		if err != nil || v == nil {
			return err
		}
		if err := m.do(ctx, v); err != nil {
			if ctx.Err() != nil {
				return err
			}
			m.Failed(err)
		}
	}
}

// entries returns the verbs that fit the node.
func (m *Menu) entries(about adminapi.Node) verb.Table {
	var out verb.Table
	for _, v := range m.Table {
		if verb.Shows(v, about) {
			out = append(out, v)
		}
	}
	return out
}

func (m *Menu) show(about adminapi.Node, entries verb.Table) {
	m.Console.Report("")
	m.Console.Report("%s", m.Console.ReportStyle.Title("What would you like to do?"))
	width := len(strconv.Itoa(len(entries) + 1))
	for i, v := range entries {
		m.Console.Report("%s", fmt.Sprintf("  %*d. %s", width, i+1, v.Menu))
	}
	m.Console.Report("%s", fmt.Sprintf("  %*d. Exit", width, len(entries)+1))
	if about.Offchain {
		m.Console.Report("This node runs off-chain; what needs the chain is not shown.")
	}
}

// choose returns the verb that was chosen, nil for leaving.
func (m *Menu) choose(ctx context.Context, entries verb.Table) (*verb.Verb, error) {
	for {
		text, err := m.Console.Ask(ctx, "Choose a number", "")
		if errors.Is(err, fault.ActionDeclined) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(text)
		switch {
		case strings.EqualFold(text, "exit") || strings.EqualFold(text, "q") || strings.EqualFold(text, "quit") ||
			err == nil && n == len(entries)+1:
			return nil, nil
		case err == nil && n >= 1 && n <= len(entries):
			return entries[n-1], nil
		}
		m.Console.Report("Please type a number from 1 to %d.", len(entries)+1)
	}
}

// do runs a verb with everything asked, and shows what came of it.
func (m *Menu) do(ctx context.Context, v *verb.Verb) error {
	call := m.Call(v)
	if err := call.Collect(ctx); err != nil {
		return err
	}
	result, err := v.Run(ctx, call)
	if result != nil {
		result.Print(m.Console.Page())
	}
	return err
}
