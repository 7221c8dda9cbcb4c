// Command benchcompare says what of a bench moved since another commit, beyond noise: it builds that commit in a
// worktree of its own, runs its bench and the current tree's in pairs, which of the two first by turns, and compares
// the pairs. It exits with 1 where a figure became worse, and with 2 where nothing could be compared.
//
// A pair's runs follow each other, so what else the machine does meets both alike. Means of separate runs would
// show that instead.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const (
	regressed = 1
	failed    = 2
)

// The least number of pairs is what the sign test needs to say anything: five that all agree happen by chance in
// one of 16 cases. More than the most would take a day.
const (
	leastPairs = 6
	mostPairs  = 60
)

// settings say what is compared.
type settings struct {
	// tree is the current tree, base the commit and part the bench.
	tree, base, part string
	pairs            int
	// least is the smallest change that counts, as a part of one.
	least float64
	// most is the longest time for one run.
	most time.Duration
	// args are for the bench.
	args []string
	out  io.Writer
}

func run(args []string, stdout, stderr io.Writer) int {
	s := settings{out: stdout}
	fs := flag.NewFlagSet("benchcompare", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&s.tree, "tree", ".", "the current tree")
	fs.StringVar(&s.base, "base", "", "the commit to compare with")
	fs.StringVar(&s.part, "part", "benchlive", "the bench, a folder of test")
	fs.IntVar(&s.pairs, "pairs", 10, fmt.Sprintf("pairs of runs, %d to %d", leastPairs, mostPairs))
	fs.Float64Var(&s.least, "least", 0.03, "the smallest change that counts, 0.03 is 3 %")
	fs.DurationVar(&s.most, "most", 10*time.Minute, "longest time for one run")
	if err := fs.Parse(args); err != nil {
		return failed
	}
	s.args = fs.Args()
	if s.base == "" || s.pairs < leastPairs || s.pairs > mostPairs {
		fmt.Fprintf(stderr, "benchcompare: name a commit with -base, and %d to %d pairs: fewer show nothing\n", leastPairs,
			mostPairs)
		return failed
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	rows, err := s.compare(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "benchcompare:", err)
		return failed
	}
	if s.print(rows) {
		return regressed
	}
	return 0
}

// compare builds both sides, runs them and compares their figures.
func (s *settings) compare(ctx context.Context) (rows []row, err error) {
	dir, err := os.MkdirTemp("", "tutti-benchcompare")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	tree, err := filepath.Abs(s.tree)
	if err != nil {
		return nil, err
	}
	old := filepath.Join(dir, "base")
	if err := command(ctx, tree, "git", "worktree", "add", "--quiet", "--detach", old, s.base); err != nil {
		return nil, fmt.Errorf("check out %s: %w", s.base, err)
	}
	defer func() {
		// An interrupt must not leave the worktree in the repository.
		_ = command(context.WithoutCancel(ctx), tree, "git", "worktree", "remove", "--force", old)
	}()
	sides := [2]side{{tree: old, program: filepath.Join(dir, "old")}, {tree: tree, program: filepath.Join(dir, "new")}}
	for _, d := range sides {
		fmt.Fprintln(s.out, "build", d.tree)
		if err := d.build(ctx, s.part); err != nil {
			return nil, err
		}
	}
	pairs, err := s.runs(ctx, sides, filepath.Join(dir, "figures.json"))
	if err != nil {
		return nil, err
	}
	return classify(pairs, s.least)
}
