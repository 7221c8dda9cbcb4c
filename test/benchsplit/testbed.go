package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// testbed is the testing.TB that hosts and processes of this program live in: they were
// made for tests. What they cannot do ends the program with its reason.
type testbed struct {
	testing.TB // nil: only what is below is used
	ctx        context.Context
	dir        string

	mu   sync.Mutex // covers what follows
	last []func()
}

// fatal is what Fatal panics with.
type fatal struct{ error }

func (b *testbed) Helper()                         {}
func (b *testbed) Context() context.Context        { return b.ctx }
func (b *testbed) Failed() bool                    { return false }
func (b *testbed) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
func (b *testbed) Fatal(args ...any)               { panic(fatal{errors.New(fmt.Sprint(args...))}) }
func (b *testbed) Fatalf(format string, a ...any)  { panic(fatal{fmt.Errorf(format, a...)}) }

func (b *testbed) TempDir() string {
	dir, err := os.MkdirTemp(b.dir, "node")
	if err != nil {
		b.Fatal(err)
	}
	return dir
}

func (b *testbed) Cleanup(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = append(b.last, f)
}

// end cleans up, the latest first.
func (b *testbed) end() {
	for {
		b.mu.Lock()
		n := len(b.last)
		if n == 0 {
			b.mu.Unlock()
			return
		}
		f := b.last[n-1]
		b.last = b.last[:n-1]
		b.mu.Unlock()
		f()
	}
}
