package fakegpu_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/fakegpu"
)

// The machine's cap holds over processes, and the kernel takes back what a killed
// process held.
func TestProcessesShareTheMachine(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "encoder.cap=2", "device.hang=encode")
	dir := t.TempDir()
	var running []func()
	for _, name := range []string{"a.ts", "b.ts"} {
		cmd := m.command(t, "ffmpeg", append([]string{"-nostdin", "-y"}, m.transcode(filepath.Join(dir, name))...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, func() {
			cmd.Process.Kill()
			cmd.Wait()
		})
	}
	c := m.Await(t, 0, "two sessions that hang", func(c fakegpu.Counts) bool { return c.Hangs == 2 })
	if c.Held.Encoders != 2 || c.Held.Decoders != 2 || c.Held.Memory < 2*160<<20 {
		t.Errorf("two sessions hold %+v", c.Held)
	}
	said, err := m.ffmpeg(t, m.transcode(filepath.Join(dir, "c.ts"))...)
	if err == nil || !strings.Contains(said, "out of memory (10)") {
		t.Errorf("a third session was not refused: %v\n%s", err, said)
	}
	for _, kill := range running {
		kill()
	}
	if held := m.Counts(0).Held; held != (fakegpu.Held{}) {
		t.Errorf("the dead hold %+v", held)
	}
	m.Unset("device.hang")
	m.must(t, m.transcode(filepath.Join(dir, "c.ts"))...)
}

func TestHangEndsWithTheScript(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"decode", "encode", "copy", "kernel", "open"} {
		m := newMachine(t, "device0.hang="+point)
		args := []string{"-nostdin", "-y", "-init_hw_device", "cuda=g:0", "-filter_hw_device", "g"}
		args = append(args, m.transcode(filepath.Join(t.TempDir(), "out.ts"))...)
		if point == "copy" {
			args = []string{"-nostdin", "-y", "-hwaccel", "cuda", "-i", m.input, "-f", "null", "-"}
		}
		cmd := m.command(t, "ffmpeg", args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		m.Await(t, 0, "the hang in "+point, func(c fakegpu.Counts) bool { return c.Hangs > 0 })
		m.Unset("device0.hang")
		if err := cmd.Wait(); err != nil {
			t.Errorf("after a hang in %s: %v", point, err)
		}
	}
}

func TestCrash(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.must(t, m.transcode(filepath.Join(t.TempDir(), "before.ts"))...)
	before := m.Counts(0)
	m.Script("device0.crash=decode", "device0.after=10")
	cmd := m.command(t, "ffmpeg",
		append([]string{"-nostdin", "-y"}, m.transcode(filepath.Join(t.TempDir(), "out.ts"))...)...)
	err := cmd.Run()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); err == nil || !ok || status.Signal() != syscall.SIGSEGV {
		t.Errorf("ended with %v, want a segmentation fault", err)
	}
	c := m.Counts(0)
	if n := c.PicturesDecoded + c.PicturesEncoded - before.PicturesDecoded - before.PicturesEncoded; n < 10 || n > 20 ||
		c.Held != (fakegpu.Held{}) {
		t.Errorf("a crash after 10 frames came after %d and left %+v", n, c.Held)
	}
}

func TestSlow(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "device0.slow.decode=5000", "device0.slow.encode=15000")
	begun := time.Now()
	m.must(t, m.transcode(filepath.Join(t.TempDir(), "out.ts"))...)
	if took := time.Since(begun); took < 900*time.Millisecond {
		t.Errorf("60 frames at 15 ms and more took %v", took)
	}
}

// A device that is lost midway: CUDA fails, NVML says so elsewhere, and what comes
// back works again.
func TestLostAndFound(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "device0.lost=1", "device0.after=30")
	out := filepath.Join(t.TempDir(), "out.ts")
	said, err := m.ffmpeg(t, append([]string{"-xerror"}, m.transcode(out)...)...)
	if err == nil || !strings.Contains(said, "CUDA_ERROR_UNKNOWN") {
		t.Errorf("a lost device: %v\n%s", err, said)
	}
	m.Unset("device0.lost")
	m.must(t, m.transcode(out)...)
}
