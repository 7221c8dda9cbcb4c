package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tuttinode/tutti/test/procfs"
)

// use is the processor time that a process uses while ctx waits for a time.
func use(ctx context.Context, p *process, d time.Duration) time.Duration {
	before := procfs.CPU(p.pid())
	pause(ctx, d)
	return procfs.CPU(p.pid()) - before
}

// atRest is longer than a node without a collection waits until it gives its free memory back.
const atRest = 8 * time.Second

// maxRests is how often a node's memory is looked at until it counts as it is.
const maxRests = 5

// resident is an orchestrator's memory in KB once it changes little. The garbage of the beginning is collected: each
// collection also halves stacks that were deep once. What is free then the node gives back when it is at rest.
func (o *orchestrator) resident(ctx context.Context) float64 {
	for range 4 {
		_, _, _ = do(ctx, http.DefaultClient, "GET", "http://"+o.admin+"/debug/pprof/heap?gc=1", "")
	}
	last := procfs.Resident(o.pid())
	for range maxRests { // sessions at work are never at rest
		if !pause(ctx, atRest) {
			break
		}
		now := procfs.Resident(o.pid())
		if now-last < 256<<10 && last-now < 256<<10 {
			return float64(now) / 1024
		}
		last = now
	}
	return float64(last) / 1024
}

// describeMemory prints what the parts of an orchestrator's memory hold.
func (s settings) describeMemory(ctx context.Context, o *orchestrator) {
	_, text, err := do(ctx, http.DefaultClient, "GET", "http://"+o.admin+"/debug/pprof/heap?gc=1&debug=1", "")
	if err != nil || s.profile == "" {
		return
	}
	for line := range strings.Lines(text) {
		for _, name := range []string{"HeapInuse", "HeapIdle", "HeapReleased", "StackInuse = ", "Stack = ",
			"HeapAlloc", "GCSys"} {
			if strings.Contains(line, name) {
				fmt.Fprint(s.out, "  ", line)
			}
		}
	}
}

// takeProfile saves a profile of an orchestrator where that is wanted. One of the processor lasts as long as seconds.
func (s settings) takeProfile(ctx context.Context, o *orchestrator, kind, name string, seconds int) {
	if s.profile == "" {
		return
	}
	url := fmt.Sprintf("http://%s/debug/pprof/%s", o.admin, kind)
	if seconds > 0 {
		url += fmt.Sprintf("?seconds=%d", seconds)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		fmt.Fprintln(s.out, "  no profile:", err)
		return
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode == http.StatusOK {
		err = os.WriteFile(filepath.Join(s.profile, name+".prof"), data, 0o600)
	}
	if err != nil || res.StatusCode != http.StatusOK {
		fmt.Fprintln(s.out, "  no profile:", res.Status, err)
	}
}
