package liverunner

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of the lines that are kept of a program's output.
const (
	maxLines = 10
	maxLine  = 300
)

// lastLines keeps the last lines of a program's output.
type lastLines struct {
	mu    sync.Mutex
	lines []string // guarded by mu
}

// follow reads to the end. Of lines without end it keeps the begin.
func (t *lastLines) follow(r io.Reader) {
	in := bufio.NewReaderSize(r, 4<<10)
	for {
		line, more, err := in.ReadLine()
		if err != nil {
			return
		}
		t.add(string(line))
		for more && err == nil {
			_, more, err = in.ReadLine()
		}
	}
}

func (t *lastLines) add(line string) {
	line = strings.ToValidUTF8(strings.TrimSpace(line), "?")
	if len(line) > maxLine {
		line = line[:maxLine]
		for !utf8.ValidString(line) {
			line = line[:len(line)-1]
		}
	}
	if line == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines = append(t.lines, line); len(t.lines) > maxLines {
		t.lines = t.lines[1:]
	}
}

// explain adds the last lines to an error.
func (t *lastLines) explain(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return err
	}
	return fmt.Errorf("%w; last lines: %s", err, strings.Join(t.lines, " | "))
}
