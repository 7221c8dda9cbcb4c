package probe_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	kit "github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/devices"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// open starts a media worker on the GPU and reports how long that took.
func open(t *testing.T, c *kit.Card, cache string, more ...string) (*worker.Client, time.Duration, error) {
	t.Helper()
	begin := time.Now()
	w, err := worker.Start(t.Context(), worker.Options{
		Device: fmt.Sprint(c.Index), GPU: true, UUID: c.UUID, Args: []string{childArg}, Cache: cache,
		Env: append(c.Env(), more...),
	})
	return w, time.Since(begin), err
}

// TestCardCompiles: the driver compiles scale_cuda's kernels for its GPU when they are
// loaded first, and finds them again afterwards.
func TestCardCompiles(t *testing.T) {
	c := kit.Open(t)
	cache := filepath.Join(t.TempDir(), "cache")
	took, kept := map[string]time.Duration{}, map[string]int{}
	for _, state := range []string{"cold", "warm", "warm again", "without"} {
		var more []string
		if state == "without" {
			more = append(more, "CUDA_CACHE_DISABLE=1")
		}
		w, d, err := open(t, c, cache, more...)
		if !kit.NoError(t, err, "a media worker starts, cache of kernels "+state,
			fmt.Sprintf("%.2f s", d.Seconds())) {
			return
		}
		took[state] = d
		kit.NoError(t, w.Close(), "it ends", "")
		kept[state], _ = sizeOf(t, cache)
	}
	// The first start may have woken the GPU as well.
	compiling := took["without"] - min(took["warm"], took["warm again"])
	kit.RecordCheck(t, "time to compile kernels (a start without a cache less a warm one)",
		fmt.Sprintf("the first start took %.2f s", took["cold"].Seconds()), fmt.Sprintf("%.2f s", compiling.Seconds()))
	files, bytes := sizeOf(t, cache)
	if !c.Real() {
		kit.SkipCheck(t, "the driver keeps what it compiled", "the simulated driver compiles nothing")
		return
	}
	kit.CheckThat(t, files > 0, "the driver keeps what it compiled", "files in its cache", fmt.Sprintf("%d files", files),
		fmt.Sprintf("%.1f MB", float64(bytes)/1e6))
	kit.CheckThat(t, kept["warm again"] == kept["cold"], "a warm start compiles nothing",
		fmt.Sprintf("%d files as after the cold one", kept["cold"]), fmt.Sprintf("%d files", kept["warm again"]), "")
}

func sizeOf(t *testing.T, folder string) (files int, bytes int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return files, bytes
}

// TestCardStartUp is the test that the node makes of every GPU when it starts.
func TestCardStartUp(t *testing.T) {
	c := kit.Open(t)
	w, _, err := open(t, c, filepath.Join(t.TempDir(), "cache"))
	if !kit.NoError(t, err, "a media worker starts", "") {
		return
	}
	defer w.Close()
	missing := "none"
	if err := w.Degraded(); err != nil {
		missing = err.Error()
	}
	kit.RecordCheck(t, "restrictions of the media worker that this system does not provide", missing, "")
	streams := 4
	if kit.Full() {
		streams = 8
	}
	r := devices.Probe(t.Context(), w, devices.ProbeOptions{Streams: streams})
	if r.Fault != nil {
		kit.CheckThat(t, false, "the start-up test passes", "a device that can work", r.Fault.Error(),
			fmt.Sprintf("%.1f s", r.Took.Seconds()))
		return
	}
	kit.CheckThat(t, true, "the start-up test passes", "a device that can work", "it can",
		fmt.Sprintf("%.1f s", r.Took.Seconds()))
	var has []string
	for _, id := range r.Capabilities.IDs() {
		has = append(has, id.String())
	}
	kit.RecordCheck(t, "capabilities that the GPU has shown", strings.Join(has, ", "), fmt.Sprint(len(has)))
	for _, m := range r.Missing {
		kit.RecordCheck(t, "lacks "+m.ID.String(), m.Err.Error(), "")
	}
	kit.CheckThat(t, r.Capabilities.Has(capability.H264), "H.264 is offered", "yes",
		fmt.Sprint(r.Capabilities.Has(capability.H264)), "")
	kit.CheckThat(t, r.NoEncoder != c.Encodes, "the start-up test and NVML agree on the encoder", fmt.Sprint(c.Encodes),
		fmt.Sprint(!r.NoEncoder), "")
	kit.RecordCheck(t, "hardware encoders that may be open at once (0: no limit found, or no encoder)",
		fmt.Sprint(r.EncoderSessions), fmt.Sprint(r.EncoderSessions))
	kit.CheckThat(t, r.Cost > 0, "the pace was measured", "a cost above 0", fmt.Sprint(r.Cost),
		fmt.Sprintf("cost %.3g", r.Cost))
}
