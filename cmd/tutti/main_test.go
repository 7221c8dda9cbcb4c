package main

import (
	"context"
	"os"
	"testing"
)

// TestMain lets the test program be the processes that the node starts itself with.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if _, ok := commandOf(os.Args[1]); ok {
			os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
		}
	}
	os.Exit(m.Run())
}
