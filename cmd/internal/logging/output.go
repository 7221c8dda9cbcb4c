package logging

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// output is where lines go. Writing fails without consequence but for the count:
// a log is never worth the node.
type output struct {
	// lostLine is the line that reports how many were lost.
	lostLine func(n uint64) []byte
	lost     atomic.Uint64
	// changed holds one token when a problem came or went.
	changed chan struct{}

	mu     sync.Mutex
	stderr lineWriter
	// all lines go to standard error; without it only errors do besides files.
	all   bool
	files []*file
	// problem is why the last line was lost, "" once one was written again; reported is
	// how many of those lost a line has reported.
	problem  string
	reported uint64
}

// lineWriter is a writer that knows whether its last line is incomplete.
type lineWriter struct {
	io.Writer
	torn bool
}

func newOutput(stderr io.Writer, lostLine func(n uint64) []byte) *output {
	return &output{lostLine: lostLine, stderr: lineWriter{Writer: stderr}, all: true, changed: make(chan struct{}, 1)}
}

// writeFiles makes files of dir the place of all lines.
func (o *output) writeFiles(dir string, alsoStderr bool, now func() time.Time, pid int) {
	o.all = alsoStderr
	for s := range severities {
		o.files = append(o.files, &file{dir: dir, severity: s, pid: pid, now: now, size: maxSize})
	}
}

// write puts one line everywhere it belongs.
func (o *output) write(s severity, line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.problem != "" {
		o.tell()
	}
	o.record(o.put(s, line), true)
}

// put returns why the line is not everywhere it belongs.
func (o *output) put(s severity, line []byte) (err error) {
	if o.all || s >= failure {
		err = o.stderr.put(line)
	}
	for _, f := range o.files[:min(len(o.files), int(s)+1)] {
		err = errors.Join(err, f.put(line))
	}
	return err
}

func (p *lineWriter) put(line []byte) error {
	if p.torn {
		if _, err := p.Write([]byte{'\n'}); err != nil {
			return err
		}
		p.torn = false
	}
	n, err := p.Write(line)
	p.torn = err != nil && n > 0
	return err
}

// tell writes how many lines were lost: the first line after them, and the question
// whether lines can be written again.
func (o *output) tell() {
	lost := o.lost.Load()
	err := o.put(warning, o.lostLine(lost-o.reported))
	if err == nil {
		o.reported = lost
	}
	o.record(err, false)
}

// record keeps whether lines can be written, and counts the one that could not.
func (o *output) record(err error, counts bool) {
	text := ""
	if err != nil {
		text = reason(err)
		if counts {
			o.lost.Add(1)
		}
	}
	if text == o.problem {
		return
	}
	o.problem = text
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

// probe finds out whether lines can be written again, and returns why not.
func (o *output) probe() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.problem != "" {
		o.tell()
	}
	return o.problem
}

func (o *output) sync() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range o.files {
		f.sync()
	}
}
