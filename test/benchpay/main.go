// Command benchpay prints the figures by which tutti's payments are measured, each
// compared with its peer measured in the same run: a ticket compared with the bare recovery of its
// signature, two cores against one.
//
// It prints ratios and asserts nothing but that every ticket is accepted: figures
// depend on the machine, so no test waits on them.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/tuttinode/tutti/test/figures"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings say how much is run.
type settings struct {
	runs, tickets int
	// grow is how many tickets growth is measured over.
	grow  int
	out   io.Writer
	sheet *figures.Sheet
}

// parts are what is measured, in the order in which it is printed.
var parts = []struct {
	name string
	run  func(settings) error
}{{"ticket", settings.ticket}, {"cores", settings.cores}, {"payment", settings.payment}, {"admit", settings.admit},
	{"growth", settings.growth}}

func run(args []string, stdout, stderr io.Writer) int {
	s := settings{out: stdout}
	fs := flag.NewFlagSet("benchpay", flag.ContinueOnError)
	fs.SetOutput(stderr)
	s.sheet = figures.New("benchpay", stdout, fs)
	fs.IntVar(&s.runs, "runs", 15, "repetitions; the median counts")
	fs.IntVar(&s.tickets, "tickets", 2000, "tickets per repetition")
	fs.IntVar(&s.grow, "growth", 100_000, "tickets over which growth is measured; 10000000 takes half an hour")
	only := fs.String("only", "", "one of ticket, cores, payment, admit, growth; empty runs all")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	for _, part := range parts {
		if *only != "" && *only != part.name {
			continue
		}
		s.sheet.Part(part.name)
		if err := part.run(s); err != nil {
			fmt.Fprintln(stderr, "benchpay:", part.name+":", err)
			return 1
		}
	}
	if err := s.sheet.Save(); err != nil {
		fmt.Fprintln(stderr, "benchpay:", err)
		return 1
	}
	return 0
}
