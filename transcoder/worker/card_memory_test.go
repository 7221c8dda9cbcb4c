package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// TestCardMemoryLimit: a worker that uses more memory than it may is replaced, and the
// reason is named; with enough memory it works.
func TestCardMemoryLimit(t *testing.T) {
	r := openRig(t)
	before, known := r.freeMemory(t)
	c := startCard(t, "starting a worker without a limit", r.options(true))
	idle := c.Status().Memory
	card.CheckThat(t, idle > 0, "resident memory of an idle worker", "more than none", megabytes(idle), megabytes(idle))
	free, _ := r.freeMemory(t)
	if known {
		card.RecordCheck(t, "memory of the GPU that an idle worker holds", megabytes(before-free), megabytes(before-free))
	}
	busy := r.busy(t, c)
	card.RecordCheck(t, "resident memory of a busy worker", megabytes(busy), megabytes(busy))
	if free, _ = r.freeMemory(t); known {
		card.RecordCheck(t, "memory of the GPU that a worker with open sessions holds", megabytes(before-free),
			megabytes(before-free))
	}
	c.Close()
	if known {
		r.returned(t, before)
	} else {
		card.SkipCheck(t, "memory of the GPU that a worker holds", "a program of its own did not learn how much is free")
	}
	r.tooLittle(t, idle/2)
	r.enough(t, 2*busy+256<<20)
}

// freeMemory is how much of the GPU's memory a program of its own finds free.
func (r rig) freeMemory(t *testing.T) (bytes int64, known bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), jobTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", memoryArg)
	cmd.Env = append(os.Environ(), r.Card.Env()...)
	if r.UUID != "" {
		cmd.Env = append(cmd.Env, "CUDA_VISIBLE_DEVICES="+r.UUID)
	}
	out, err := cmd.Output()
	if err != nil {
		return 0, false
	}
	bytes, err = strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return bytes, err == nil
}

// returned waits until as much of the GPU's memory is free as before a worker.
func (r rig) returned(t *testing.T, before int64) {
	t.Helper()
	const tolerance = 64 << 20
	begin := time.Now()
	var free int64
	ok := eventually(t, 15*time.Second, func() bool {
		free, _ = r.freeMemory(t)
		return free >= before-tolerance
	})
	card.CheckThat(t, ok, "memory of the GPU free after the worker was ended", "at least "+megabytes(before-tolerance),
		megabytes(free), seconds(time.Since(begin)))
	if r.Fake != nil {
		held := r.Fake.Counts(0).Held
		card.CheckThat(t, held.Memory == 0 && held.Contexts == 0, "what the ended worker holds of the simulated GPU",
			"nothing", fmt.Sprintf("%+v", held), "")
	}
}

// busy is the most memory that a worker uses while several sessions work in it.
func (r rig) busy(t *testing.T, c *worker.Client) int64 {
	t.Helper()
	sessions, segments := 1, 1
	if card.Full() {
		// No more encoders than any driver lets a program have.
		sessions, segments = 2, 5
	}
	var most int64
	done := make(chan struct{})
	var sampler, work sync.WaitGroup
	sampler.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, c.Status().Memory)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	s := segment{clip: ordinaryClip, profiles: []core.Profile{ordinary, small}}
	errs := make([]error, sessions)
	for i := range sessions {
		work.Go(func() {
			for n := range segments {
				_, err := transcode(t, c, fmt.Sprint("busy ", i), n, s)
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	work.Wait()
	close(done)
	sampler.Wait()
	card.NoError(t, errors.Join(errs...), fmt.Sprintf("%d segments in each of %d sessions", segments, sessions), "")
	return most
}

// tooLittle gives a worker less memory than it has in use as soon as it runs.
func (r rig) tooLittle(t *testing.T, limit int64) {
	t.Helper()
	o := r.options(true)
	o.Memory = limit
	c := startCard(t, "starting a worker with a limit of "+megabytes(limit), o)
	begin := time.Now()
	var err error
	number := 0
	ended := eventually(t, 30*time.Second, func() bool {
		_, err = transcode(t, c, "a", number, segment{clip: smallClip, profiles: toSmall})
		number++
		return err != nil
	})
	card.CheckThat(t, ended && errors.Is(err, fault.WorkerOutOfMemory) && strings.Contains(err.Error(), "MB allowed"),
		"a segment in a worker above its limit",
		"fails with "+string(fault.WorkerOutOfMemory)+" and both figures", fmt.Sprint(err), seconds(time.Since(begin)))
	replaced := eventually(t, 30*time.Second, func() bool { return c.Status().Restarts > 0 })
	card.CheckThat(t, replaced, "the worker above its limit", "is replaced",
		fmt.Sprintf("%d times replaced", c.Status().Restarts), "")
	c.Close()
}

// enough gives a worker more than it was seen to use.
func (r rig) enough(t *testing.T, limit int64) {
	t.Helper()
	o := r.options(true)
	o.Memory = limit
	c := startCard(t, "starting a worker with a limit of "+megabytes(limit), o)
	before := r.Read(t).PicturesDecoded
	r.busy(t, c)
	decoded := r.Read(t).PicturesDecoded - before
	status := c.Status()
	card.CheckThat(t, status.Restarts == 0 && decoded > 0, "a worker below its limit",
		"works on the GPU and is not replaced",
		fmt.Sprintf("%d frames, %d times replaced", decoded, status.Restarts), megabytes(status.Memory))
}
