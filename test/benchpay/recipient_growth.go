package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// What a node of some streams lives through: a payment has perBatch tickets, fresh
// parameters come with each perSet payments, a session with each perSession, and a
// round with each perRound.
const (
	perBatch   = 20
	perSet     = 2
	perSession = 60
	perRound   = 5000
)

// growth is what memory and disk come to while many tickets pass, parameters
// expire, sessions end and rounds go by.
func (s settings) growth() (err error) {
	dir, err := os.MkdirTemp("", "tutti-benchpay")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t, err := newTill(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	ctx, cancel := context.WithCancel(context.Background())
	swept := make(chan error, 1)
	go func() { swept <- t.Run(ctx, func() {}) }()
	defer func() { cancel(); err = errors.Join(err, <-swept) }()

	fmt.Fprintf(s.out, "growth over %d tickets\n      tickets    RSS MB   heap MB   disk MB    sets  accounts\n", s.grow)
	payments := s.grow / perBatch
	for i := 0; i < payments; i += perSet {
		jobs, err := t.jobs("session "+strconv.Itoa(i/perSession), perSet, perBatch)
		if err != nil {
			return err
		}
		if err := t.serve(jobs, 1); err != nil {
			return err
		}
		t.pass(i)
		if i/perSet%max(1, payments/perSet/10) == 0 {
			s.size(t, dir, (i+perSet)*perBatch)
		}
	}
	s.sheet.Less("memory at the end", "MB", float64(rss())/(1<<20), 0)
	s.sheet.Less("files at the end", "MB", float64(folder(dir))/(1<<20), 0)
	return nil
}

// pass lets time go by: a block for each 20 payments, 8 seconds for each.
func (t *till) pass(i int) {
	t.chain.l1.Store(uint64(21_000_000 + i/20))
	t.chain.round.Store(uint64(3500 + i/perRound))
	t.ahead.Store(int64(i) * int64(8*time.Second))
}

func (s settings) size(t *till, dir string, tickets int) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	snap := t.Snapshot(context.Background())
	const mega = 1 << 20
	fmt.Fprintf(s.out, "  %11d %9.1f %9.1f %9.1f %7d %9d\n", tickets, float64(rss())/mega, float64(m.HeapAlloc)/mega,
		float64(folder(dir))/mega, snap.Sets, len(snap.Accounts))
}

// rss is how much memory the process has, in bytes.
func rss() int64 {
	raw, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(raw))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64) // 0 where it is no number
	return pages * int64(os.Getpagesize())
}

// folder is how large the files of a directory are.
func folder(dir string) (total int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "*")) // the pattern is right
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			total += info.Size()
		}
	}
	return total
}
