package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// memory measures what all processes of the node hold together: idle, with four
// streams at preset medium, and after these have ended.
func (s settings) memory(ctx context.Context, segs []clip.Segment) error {
	n, err := s.startNodes(ctx, "medium")
	if err != nil {
		return err
	}
	defer n.stop()
	fmt.Fprintln(s.out, "memory in MB, orchestrator + media worker + gateway, preset medium")
	for _, cmd := range n.cmds {
		fmt.Fprintf(s.out, "  idle control process                 %6.0f\n",
			float64(procfs.Resident(cmd.Process.Pid))/1e6)
	}
	busy, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	most := int64(0)
	wg.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-busy.Done():
				return
			case <-tick.C:
				most = max(most, n.resident())
			}
		}
	})
	_, _, err = s.push(ctx, n.gateway, "memory", segs, 4)
	stop()
	wg.Wait()
	if err != nil {
		return err
	}
	s.sheet.Less("most with 4 streams of 1080p30", "MB", float64(most)/1e6, 500)
	fmt.Fprintf(s.out, "  most with 4 streams of 1080p30       %6.0f\n", float64(most)/1e6)
	timer := time.NewTimer(time.Minute)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	rested := float64(n.resident()) / 1e6
	s.sheet.Less("a minute after the last segment", "MB", rested, 0)
	fmt.Fprintf(s.out, "  a minute after the last segment      %6.0f\n\n", rested)
	return nil
}

// start measures the time from the start of the process to the listener's answer.
func (s settings) start(ctx context.Context, _ []clip.Segment) error {
	var took []float64
	for range max(s.runs, 5) {
		n := &nodes{}
		addr := freeAddress()
		begin := time.Now()
		if _, err := n.start(s, []string{"-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr",
			addr}); err != nil {
			return err
		}
		err := reach(ctx, "https://"+addr+"/healthz")
		took = append(took, float64(time.Since(begin).Microseconds())/1000)
		n.stop()
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "start to listening, off-chain, media worker included: median %.0f ms of %d\n",
		figures.Median(took), len(took))
	s.sheet.Less("start to listening", "ms", figures.Median(took), 0)
	return nil
}

// resident is what the processes and their children hold together, in bytes.
func (n *nodes) resident() int64 {
	sum := int64(0)
	for _, cmd := range n.cmds {
		sum += procfs.Resident(cmd.Process.Pid)
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", cmd.Process.Pid))
		for _, task := range tasks {
			text, _ := os.ReadFile(task)
			for _, child := range strings.Fields(string(text)) {
				if pid, err := strconv.Atoi(child); err == nil {
					sum += procfs.Resident(pid)
				}
			}
		}
	}
	return sum
}
