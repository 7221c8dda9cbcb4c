package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/test/figures"
)

// flushed is how long a bare write of a page with a flush of the disk takes, and the
// CPU time of it, in milliseconds. A paid job waits for two of them at least: the
// gateway's account before it is sent, and the orchestrator's before it begins.
func (s settings) flushed() (wall []float64, cpu float64, err error) {
	f, err := os.Create(filepath.Join(s.dir, "flushed"))
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	page := make([]byte, 4096)
	before := ownCPU()
	const times = 200
	for range times {
		begin := time.Now()
		if _, err := f.Write(page); err != nil {
			return nil, 0, err
		}
		if err := f.Sync(); err != nil {
			return nil, 0, err
		}
		wall = append(wall, figures.Millis(time.Since(begin)))
	}
	return wall, figures.Millis(ownCPU()-before) / times, nil
}

// printFlushed prints it next to what waits for it.
func (s settings) printFlushed() error {
	wall, cpu, err := s.flushed()
	fmt.Fprintf(s.out, "  for comparison: a bare write of 4 KB with a flush of the disk takes p50 %.2f ms, p95 %.2f ms "+
		"and %.3f ms of CPU\n\n",
		figures.Quantile(wall, 0.5), figures.Quantile(wall, 0.95), cpu)
	return err
}

// printHashed prints how long the bare hash of so many bytes takes on one core, which
// orchestrator and gateway each make of every rendition.
func (s settings) printHashed(bytes int) {
	data := make([]byte, bytes)
	var took []float64
	for range 50 {
		begin := time.Now()
		signature.Keccak256(data)
		took = append(took, figures.Millis(time.Since(begin)))
	}
	fmt.Fprintf(s.out, "  for comparison: the bare hash of %d KB takes p50 %.2f ms\n", bytes/1000, figures.Median(took))
}

func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
