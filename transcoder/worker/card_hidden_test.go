package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// TestCardHidden: a worker sees its own GPU and no other.
func TestCardHidden(t *testing.T) {
	r := openRig(t)
	want := r.UUID
	o := r.options(true)
	if !r.Real() {
		r.Fake.Set("devices", "2")
		want = "GPU-00000000-0000-0000-0000-00000000000b"
		r.Fake.Set("device1.uuid", want)
		o.Device, o.UUID = "1", want
	}
	c := startCard(t, "starting a worker of one GPU", o)
	stderr := answer(t, c, "devices")
	card.CheckThat(t, strings.EqualFold(stderr, "1 "+want) || want == "" && strings.HasPrefix(stderr, "1 "),
		"devices that CUDA shows in a worker",
		"1 "+want, stderr, "")
	o.UUID = ""
	byIndex := answer(t, startCard(t, "starting a worker of a GPU by its index", o), "devices")
	card.CheckThat(t, byIndex == stderr, "devices that CUDA shows in a worker that was given an index",
		stderr, byIndex, "")
	r.noSuchCard(t, o)
	if card.Full() {
		r.forgotten(t, o)
	}
}

// noSuchCard starts a worker of a GPU that the machine does not have.
func (r rig) noSuchCard(t *testing.T, o worker.Options) {
	t.Helper()
	o.UUID = "GPU-ffffffff-ffff-ffff-ffff-ffffffffffff"
	ctx, cancel := context.WithTimeout(t.Context(), jobTime)
	defer cancel()
	begin := time.Now()
	c, err := worker.Start(ctx, o)
	if err == nil {
		c.Close()
	}
	card.CheckThat(t, errors.Is(err, fault.WorkerStartFailed) && errors.Is(err, fault.NoDevices),
		"starting a worker of a GPU that is not there",
		"fails with "+string(fault.NoDevices), fmt.Sprint(err), seconds(time.Since(begin)))
}

// forgotten starts a worker whose GPU is there with another's name next to it: the
// names of the driver's environment are the worker's alone.
func (r rig) forgotten(t *testing.T, o worker.Options) {
	t.Helper()
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	o.UUID = r.UUID
	c := startCard(t, "starting a worker where the node's environment hides every GPU", o)
	stderr := answer(t, c, "devices")
	card.CheckThat(t, strings.HasPrefix(stderr, "1 "), "devices that CUDA shows in it", "1", stderr, "")
}
