package node

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/test/harness"
)

// TestSegmentsOnACard: a stream's segments are decoded, scaled and encoded by the
// GPU, with one decoder and two encoders for all of them.
func TestSegmentsOnACard(t *testing.T) {
	t.Parallel()
	d := fakegpu.Build(t)
	n := start(t, d.Env(), "-gpu", "all")
	n.ready("gpu 0")
	before := d.Counts(0)
	for i := range 4 {
		if err := n.push("film", i); err != nil {
			t.Fatal(err)
		}
	}
	w := n.worker("gpu 0")
	if w.Done < 4 || w.Failed != 0 || w.Sessions != 1 {
		t.Errorf("%+v", w)
	}
	t.Logf("%+v; before %+v, after %+v", w, before, d.Counts(0))
	if held := d.Counts(0).Held; held.Decoders != 1 || held.Encoders != 2 {
		t.Errorf("open on the GPU: %+v", held)
	}
	_, page := harness.Get(t, "http://"+n.admin+"/metrics")
	if !strings.Contains(string(page), "tutti_gpu_") {
		t.Error("no metrics of the GPU")
	}
	if kept, err := filepath.Glob(filepath.Join(n.data, "cuda-cache", "GPU-*")); err != nil || len(kept) != 1 {
		t.Errorf("folders for what the GPU's driver compiles: %v, %v", kept, err)
	}
}

// TestACardWithoutEncoder decodes and scales on the GPU, and encodes here.
func TestACardWithoutEncoder(t *testing.T) {
	t.Parallel()
	d := fakegpu.Build(t)
	d.Script("device.name=NVIDIA H200", "device.compute=90", "device.encodes=0", "device.memory=141312")
	n := start(t, d.Env(), "-gpu", "0")
	n.ready("gpu 0")
	for i := range 2 {
		if err := n.push("film", i); err != nil {
			t.Fatal(err)
		}
	}
	if held := d.Counts(0).Held; held.Decoders != 1 || held.Encoders != 0 {
		t.Errorf("open on the GPU: %+v", held)
	}
}

// TestACardThatDies: the other one goes on with the stream, the operator is told, and
// the GPU comes back by itself.
func TestACardThatDies(t *testing.T) {
	t.Parallel()
	d := fakegpu.Build(t)
	d.Script("devices=2")
	n := start(t, d.Env(), "-gpu", "all")
	n.ready("gpu 0")
	n.ready("gpu 1")
	if err := n.push("film", 0); err != nil {
		t.Fatal(err)
	}
	at, dies := "gpu 0", "device0.fail=719"
	if w := n.worker("gpu 1"); w.Sessions == 1 {
		at, dies = "gpu 1", "device1.fail=719"
	}
	d.Script("devices=2", dies)
	for i := 1; i < 4; i++ {
		if err := n.push("film", i); err != nil {
			t.Fatalf("segment %d after %s died: %v", i, at, err)
		}
	}
	if w := n.worker(at); w.Sessions != 0 {
		t.Errorf("the stream is still on the dead GPU: %+v", w)
	}
	d.Script("devices=2")
	n.ready(at)
}

// TestTheDriverCountsEncoders: the driver permits three, a stream needs two: the
// second stream is refused before anything of the first suffers.
func TestTheDriverCountsEncoders(t *testing.T) {
	t.Parallel()
	d := fakegpu.Build(t)
	d.Script("encoder.cap=3")
	n := start(t, d.Env(), "-gpu", "all")
	n.ready("gpu 0")
	if err := n.push("first", 0); err != nil {
		t.Fatal(err)
	}
	if err := n.push("second", 0); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("the second stream: %v", err)
	}
	if err := n.push("first", 1); err != nil {
		t.Error(err)
	}
	if !strings.Contains(n.proc.Log(), "OrchestratorCapped") {
		t.Error("no answer said OrchestratorCapped")
	}
}

// TestNoCard: a machine without one starts, says what is wrong and how to go on with
// the CPU, and takes no video; when the GPU shows, it begins.
func TestNoCard(t *testing.T) {
	t.Parallel()
	d := fakegpu.Build(t)
	d.Script("devices=0")
	n := start(t, d.Env(), "-gpu", "all")
	c := n.condition("NoDevices")
	if !strings.Contains(c.Remedy, "Leave `-gpu` out") {
		t.Errorf("%+v", c)
	}
	if err := n.push("film", 0); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("a segment without a GPU: %v", err)
	}
	d.Script("devices=1")
	n.ready("gpu 0")
	n.proc.Wait("a segment on the GPU", 30*time.Second, func() bool { return n.push("film", 1) == nil })
}

// TestNoDriver is the same on a machine that has no driver at all, such as this one
// may be.
func TestNoDriver(t *testing.T) {
	t.Parallel()
	text, status := harness.Output(t, binary, "gpu", "list")
	if status == 0 && strings.Contains(text, "usable") {
		t.Skip("this machine has a GPU")
	}
	n := start(t, nil, "-gpu", "all")
	n.proc.Wait("a reason", 2*time.Minute, func() bool {
		for _, code := range []string{"NoDevices", "GPUDriverNotLoaded", "GPUToolkitMissing"} {
			if strings.Contains(n.proc.Log(), code) {
				return true
			}
		}
		return false
	})
	if !strings.Contains(text, "NoDevices") && !strings.Contains(text, "GPU") {
		t.Errorf("tutti gpu list: %d\n%s", status, text)
	}
}
