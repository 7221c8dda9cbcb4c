package chaos

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// tail is a log's end: the last lines that were written, for when a test fails.
type tail struct {
	limit int

	mu    sync.Mutex
	lines [][]byte // guarded by mu
	rest  []byte   // guarded by mu; a line without its end
}

// longestLine bounds what is kept of one line, in bytes.
const longestLine = 1000

// Write takes output.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := append(t.rest, p...)
	for {
		line, rest, whole := bytes.Cut(all, []byte("\n"))
		if !whole {
			t.rest = bytes.Clone(all)
			return len(p), nil
		}
		t.lines = append(t.lines, bytes.Clone(line[:min(len(line), longestLine)]))
		t.lines = t.lines[max(0, len(t.lines)-t.limit):]
		all = rest
	}
}

// String is the last lines.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.Join(append(t.lines[:len(t.lines):len(t.lines)], t.rest), []byte("\n")))
}

func TestTail(t *testing.T) {
	t.Parallel()
	end := &tail{limit: 2}
	for i := range 5 {
		_, _ = fmt.Fprintf(end, "line %d\n", i)
	}
	_, _ = end.Write([]byte("and "))
	_, _ = end.Write([]byte("more"))
	if got := end.String(); got != "line 3\nline 4\nand more" {
		t.Errorf("%q", got)
	}
	_, _ = end.Write([]byte(strings.Repeat("x", 2*longestLine) + "\n"))
	if got := len(end.String()); got > 2*longestLine {
		t.Errorf("%d bytes of a long line are kept", got)
	}
}
