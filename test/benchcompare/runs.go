package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/test/figures"
)

// side is one of the two source trees that are compared.
type side struct{ tree, program string }

// build builds the tree's programs into its bin and the bench next to it.
func (d side) build(ctx context.Context, part string) error {
	if err := command(ctx, d.tree, "make", "--no-print-directory", "build"); err != nil {
		return fmt.Errorf("build %s: %w", d.tree, err)
	}
	if err := command(ctx, d.tree, "go", "build", "-o", d.program, "./test/"+part); err != nil {
		return fmt.Errorf("build test/%s in %s: %w", part, d.tree, err)
	}
	return nil
}

// pair holds the figures of the base and, second, of the current tree. They are measured one after the
// other; which is first alternates.
type pair [2][]figures.Figure

// runs runs both sides in pairs.
func (s *settings) runs(ctx context.Context, sides [2]side, file string) (pairs []pair, err error) {
	for n := range s.pairs {
		var p pair
		for turn := range 2 {
			which := (turn + n) % 2
			if p[which], err = s.once(ctx, sides[which], file); err != nil {
				return nil, fmt.Errorf("pair %d, %s: %w", n+1, [2]string{"base", "current"}[which], err)
			}
		}
		pairs = append(pairs, p)
		fmt.Fprintf(s.out, "pair %d of %d\n", n+1, s.pairs)
	}
	return pairs, nil
}

// once runs a bench.
func (s *settings) once(ctx context.Context, d side, file string) (list []figures.Figure, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.most)
	defer cancel()
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := command(ctx, d.tree, d.program, append([]string{"-json", file}, s.args...)...); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("the bench wrote no figures: %w", err)
	}
	defer f.Close()
	if list, err = figures.Read(f); err == nil && len(list) == 0 {
		err = errors.New("the bench measured nothing")
	}
	return list, err
}

// command runs a program in a folder. Its output appears only in the error.
func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	// A bench gets the time to end the nodes that it started.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Run(); err != nil {
		text := said.Bytes()
		return fmt.Errorf("%s: %w: %s", name, err, text[max(0, len(text)-2000):])
	}
	return nil
}
