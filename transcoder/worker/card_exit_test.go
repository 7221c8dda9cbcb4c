package worker_test

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// TestCardStart measures how long a worker takes until it is ready, without and with
// what the driver has compiled before, and its first segment.
func TestCardStart(t *testing.T) {
	r := openRig(t)
	o := r.options(true)
	o.Cache = filepath.Join(t.TempDir(), "cache")
	starts := 2
	if card.Full() {
		starts = 4
	}
	for i := range starts {
		how := "warm"
		if i == 0 {
			how = "cold"
		}
		c := startCard(t, fmt.Sprintf("start %d of a worker, %s", i+1, how), o)
		before := r.Read(t).PicturesDecoded
		begin := time.Now()
		_, err := transcode(t, c, "a", 0, segment{clip: smallClip, profiles: toSmall})
		card.NoError(t, err, "its first segment", seconds(time.Since(begin)))
		decoded := r.Read(t).PicturesDecoded - before
		card.CheckThat(t, decoded > 0, "frames of it decoded on the GPU", "some", fmt.Sprint(decoded), "")
		c.Close()
		files, bytes := sizeOf(o.Cache)
		card.RecordCheck(t, "what the driver keeps of compiled kernels after it", fmt.Sprintf("%d files", files),
			fmt.Sprintf("%d kB", bytes>>10))
	}
}

// sizeOf counts the files below a folder.
func sizeOf(folder string) (files int, bytes int64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			files++
			bytes += info.Size()
		}
		return nil
	})
	return files, bytes
}

// death is a way in which a worker stops working.
type death struct {
	name string
	// input is the job in which it happens, hit what happens to the process then.
	input []byte
	hit   func(pid int)
	// patience is how long the job is waited for.
	patience time.Duration
	want     fault.Code
}

func exitCount(t *testing.T) []death {
	t.Helper()
	hang := []byte("do:hang")
	few := []death{
		{"ends by itself", []byte("do:crash"), nil, jobTime, fault.WorkerCrashed},
		{"hangs in a segment", hang, nil, 500 * time.Millisecond, fault.DeadlineExceeded},
	}
	if !card.Full() {
		return few
	}
	return append(few,
		death{"panics", []byte("do:panic"), nil, jobTime, fault.WorkerCrashed},
		death{"is killed", hang, send(syscall.SIGKILL), jobTime, fault.WorkerCrashed},
		death{"has a memory fault", hang, send(syscall.SIGSEGV), jobTime, fault.WorkerCrashed},
		death{"is stopped", hang, send(syscall.SIGSTOP), jobTime, fault.WorkerUnresponsive},
		death{"is killed while it decodes", clip(t, ordinaryClip), send(syscall.SIGKILL), jobTime, fault.WorkerCrashed},
	)
}

// TestCardDeath: whatever ends a worker with the driver in it, its jobs fail with the
// reason, and the next one works on the GPU.
func TestCardDeath(t *testing.T) {
	r := openRig(t)
	deadline := card.Deadline(t, time.Minute)
	o := r.options(true)
	o.Cache = filepath.Join(t.TempDir(), "cache")
	if !card.Full() {
		o = worker.Hurry(o, time.Minute, time.Second)
	}
	for _, d := range exitCount(t) {
		if time.Until(deadline) < 30*time.Second {
			card.SkipCheck(t, "a worker that "+d.name, "no time left")
			continue
		}
		t.Run(d.name, func(t *testing.T) { r.die(t, d, o) })
	}
}

func (r rig) die(t *testing.T, d death, o worker.Options) {
	c := startCard(t, "starting a worker", o)
	s := segment{clip: smallClip, profiles: toSmall}
	_, err := transcode(t, c, "a", 0, s)
	card.NoError(t, err, "a segment before it", "")
	first, decoded := c.Status().PID, r.Read(t).PicturesDecoded
	if d.hit != nil {
		media := d.input[0] != 'd'
		await(t, func() bool {
			return c.Status().Active == 1 && (!media || r.Read(t).PicturesDecoded > decoded)
		}, func() { d.hit(first) })
	}
	begin := time.Now()
	err = r.until(t, c, d)
	card.CheckThat(t, fault.CodeOf(err) == d.want, "a segment in a worker that "+d.name, "fails with "+string(d.want),
		fmt.Sprint(err), seconds(time.Since(begin)))
	replaced := eventually(t, 40*time.Second, func() bool { return c.Status().Restarts > 0 })
	card.CheckThat(t, replaced, "a worker that "+d.name, "is replaced", fmt.Sprintf("%d times", c.Status().Restarts),
		seconds(time.Since(begin)))
	_, err = transcode(t, c, "a", 1, s)
	card.NoError(t, err, "the next segment", seconds(time.Since(begin)))
	// The new process is warm: what is decoded from here on is the segment after.
	decoded = r.Read(t).PicturesDecoded
	_, err = transcode(t, c, "a", 2, s)
	card.NoError(t, err, "the segment after", "")
	now := r.Read(t).PicturesDecoded
	status := c.Status()
	card.CheckThat(t, now > decoded && status.PID != first && status.Restarts == 1, "where it was done",
		"on the GPU, in another process",
		fmt.Sprintf("%d frames decoded there, process %d after %d, %d times replaced", now-decoded, status.PID, first,
			status.Restarts), "")
	c.Close()
}

// until gives a worker the job in which it dies. Media is given again, for the worker
// may have finished it before it was hit.
func (r rig) until(t *testing.T, c *worker.Client, d death) (err error) {
	for n := range 100 {
		ctx, cancel := context.WithTimeout(t.Context(), d.patience)
		_, err = c.Transcode(ctx, &core.TranscodeJob{
			Session: "death", Number: core.SegmentNumber(n), Input: d.input,
			Duration: time.Second, Profiles: []core.Profile{ordinary},
		})
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}
