package main

import (
	"path/filepath"
	"testing"
)

// The packers refuse a file that two sources have.
func TestNoFileComesTwice(t *testing.T) {
	t.Parallel()
	from := map[string]string{}
	for _, c := range copied() {
		found, err := filepath.Glob(filepath.Join("../../..", c.from))
		if err != nil || len(found) == 0 {
			t.Errorf("%s: %d files, %v", c.from, len(found), err)
		}
		for _, path := range found {
			to := c.to + "/" + filepath.Base(path)
			if other := from[to]; other != "" {
				t.Errorf("%s is %s as well as %s", to, other, path)
			}
			from[to] = path
		}
	}
}
