package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/harness"
)

// bench is one run of the kit.
type bench struct {
	settings
	env []string
	log *os.File
	// uuid names the GPU, "" where it has no name.
	uuid string
	// noCard says why parts that need a GPU cannot run, "" where they can.
	noCard string
	// kernels is where the driver keeps what it compiles, for all processes of this run.
	kernels string
}

// kit runs the parts, and writes the report after each: a machine may be taken away in
// the middle.
func kit(ctx context.Context, s settings) (passed bool, err error) {
	if s.out, err = filepath.Abs(s.out); err != nil {
		return false, err
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return false, err
	}
	b := &bench{settings: s}
	if strings.ContainsAny(s.home, " :;\t\n") {
		return false, fmt.Errorf("unpack the kit where the path has no space, colon or semicolon: "+
			"the loader takes no library from %q", s.home)
	}
	if b.kernels, err = os.MkdirTemp("", "gpukit-"); err != nil {
		return false, err
	}
	defer os.RemoveAll(b.kernels)
	if b.log, err = openLog(s.out); err != nil {
		return false, err
	}
	defer b.log.Close()
	r := Report{Kit: version, Date: today(), Host: host(), Full: !s.short}
	b.look(ctx, &r)
	if r.Parts, err = Earlier(s.out, r); err != nil {
		return false, err
	}
	fmt.Fprintf(s.stdout, "gpukit %s: %s, driver %s; the report is in %s\n", version, r.Card.Name, r.Driver, s.out)
	return b.run(ctx, r)
}

// run runs the parts in the time that all of them have.
func (b *bench) run(ctx context.Context, r Report) (passed bool, err error) {
	passed = true
	end, limit := time.Now().Add(b.total), b.limit
	for _, p := range b.parts {
		if b.total > 0 {
			if b.limit = min(limit, time.Until(end)-grace); b.limit < leastPart {
				fmt.Fprintf(b.stdout, "%-10s left out: no time left\n", p.name)
				passed = false
				continue
			}
		}
		release := b.keepAwake(p, r.Card.PCI)
		done := b.part(ctx, p)
		release()
		passed = passed && done.Passed()
		r.Add(done, names())
		if err := r.Write(b.out); err != nil {
			return false, err
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return passed, nil
}

// keepAwake keeps the GPU initialized during a part. The inventory shows what it costs
// that it is not; later parts do not pay for that at each of a hundred starts.
func (b *bench) keepAwake(p part, pci string) (release func()) {
	if b.fake || b.noCard != "" || p.name == "inventory" {
		return func() {}
	}
	held, err := awake("/", pci)
	if err != nil {
		fmt.Fprintln(b.log, "the GPU is not kept awake between programs:", err)
		return func() {}
	}
	return func() { held.Close() }
}

// leastPart is the time in which it is worth while to begin a part.
const leastPart = time.Minute

// lockWait is how long a lock may stay after the end of its run: programs that it was just starting have it until they
// run.
const lockWait = time.Second

// openLog opens the log of a folder, which one run at a time may write.
func openLog(folder string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(folder, "log.txt"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockWait); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return f, nil
		case time.Now().After(end):
			f.Close()
			return nil, fmt.Errorf("another run writes into %s: %w", folder, err)
		}
		<-time.After(lockWait / 20)
	}
}

// counting is the library that counts the driver's calls.
func (b *bench) counting() string { return filepath.Join(b.home, "lib", "libtutticount.so") }

// look finds the GPU, and makes the environment of the test programs.
func (b *bench) look(ctx context.Context, r *Report) {
	driver, facts := "real", card.Facts{}
	b.env = append(os.Environ(), library()...)
	if b.fake {
		driver, r.Driver, facts = "fake", Simulated, simulated(b.withoutEncoder)
		b.env = append(b.env, fakegpu.EnvLibraries+"="+filepath.Join(b.home, "fake"))
		if b.withoutEncoder {
			b.env = append(b.env, card.EnvScript+"="+scriptWithoutEncoder)
		}
	} else {
		facts = b.first(ctx, r)
	}
	b.uuid = facts.UUID
	r.Card = Card{Name: facts.Name, UUID: facts.UUID, PCI: facts.PCI, Compute: facts.Compute,
		Encodes: facts.Encodes, Memory: facts.Memory}
	text, _ := json.Marshal(facts) // plain strings and numbers
	b.env = append(b.env, card.EnvDriver+"="+driver, card.EnvFacts+"="+string(text),
		fmt.Sprintf("%s=%t", card.EnvFull, !b.short),
		harness.EnvHome+"="+b.home, "TUTTI_GPUKIT_OUT="+b.out, "TUTTI_DEPS="+b.home,
		card.EnvCounterLibrary+"="+b.counting(), card.EnvKernels+"="+filepath.Join(b.kernels, "workers"))
}

// scriptWithoutEncoder makes the simulated GPU one of a data center.
const scriptWithoutEncoder = "device.name=NVIDIA H100 80GB HBM3;device.compute=90;device.encodes=0;device.memory=81559"

func simulated(withoutEncoder bool) card.Facts {
	if withoutEncoder {
		return card.Facts{Name: "NVIDIA H100 80GB HBM3", PCI: "0000:01:00.0", Compute: "9.0", Memory: 81559 << 20}
	}
	return card.Facts{Name: "NVIDIA GeForce RTX 4090", PCI: "0000:01:00.0", Compute: "8.9", Encodes: true,
		Memory: 24564 << 20}
}

// first is the first usable GPU, as the node itself finds it.
func (b *bench) first(ctx context.Context, r *Report) card.Facts {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(b.home, "bin", "tutti"), "gpu", "list", "-json")
	cmd.Env, cmd.Stderr, cmd.WaitDelay = b.env, b.log, grace
	out, err := cmd.Output()
	var found struct {
		Driver, CUDA string
		GPUs         []struct {
			card.Facts
			Usable bool
		}
		Problems []struct{ Code, Detail, Remedy string }
	}
	if bad := json.Unmarshal(out, &found); bad != nil {
		b.noCard = fmt.Sprintf("tutti gpu list: %v, %v", err, bad)
	}
	r.Driver, r.CUDA = found.Driver, found.CUDA
	for _, g := range found.GPUs {
		if g.Usable {
			return g.Facts
		}
	}
	if b.noCard == "" {
		b.noCard = "tutti gpu list shows no usable GPU"
	}
	for _, p := range found.Problems {
		b.noCard += fmt.Sprintf("; %s: %s", p.Code, p.Detail)
	}
	return card.Facts{Name: "no GPU"}
}

// part runs the programs of a part one after another, in its time.
func (b *bench) part(ctx context.Context, p part) Part {
	begin := time.Now()
	done := Part{Name: p.name, Title: p.title, Began: begin.UTC().Format(time.RFC3339), Limit: b.limit.Seconds()}
	checks := filepath.Join(b.out, ".checks-"+p.name)
	os.Remove(checks)
	defer os.Remove(checks)
	for _, program := range p.programs {
		if b.noCard != "" && p.name != "inventory" {
			_ = card.AppendCheck(checks, card.Check{Test: p.name, What: "a GPU to run on", Expected: "one that is usable",
				Seen: b.noCard, Result: card.Failed})
			break
		}
		if ctx.Err() != nil {
			break
		}
		left := b.limit - time.Since(begin)
		if program.share > 0 {
			left = min(left, program.share)
		}
		done.Programs = append(done.Programs, b.program(ctx, program, checks, left))
	}
	done.Seconds = time.Since(begin).Seconds()
	var err error
	if done.Checks, err = read(checks); err != nil {
		done.Checks = append(done.Checks, card.Check{What: "the file of checks", Expected: "readable",
			Seen: err.Error(), Result: card.Failed})
	}
	b.tell(done)
	return done
}

// tell prints a part's outcome, with what failed.
func (b *bench) tell(p Part) {
	fmt.Fprintf(b.stdout, "%-10s %3d passed, %d failed, %d skipped, %d figures, %.0f s\n", p.Name,
		p.Count(card.Passed), p.Count(card.Failed), p.Count(card.Skipped), p.Count(card.RecordedCheck), p.Seconds)
	for _, c := range p.Checks {
		if c.Result == card.Failed {
			fmt.Fprintf(b.stdout, "  FAILED %s: expected %s, seen %.300s\n", c.What, c.Expected, c.Seen)
		}
	}
	for _, program := range p.Programs {
		if program.End != "" {
			fmt.Fprintf(b.stdout, "  FAILED %s %s; log.txt has its output\n", program.Name, program.End)
		}
		if len(program.Failed) > 0 {
			fmt.Fprintf(b.stdout, "  FAILED tests of %s: %s\n", program.Name, strings.Join(program.Failed, ", "))
		}
	}
}

// read reads the checks of a part.
func read(path string) ([]card.Check, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []card.Check
	for line := range strings.Lines(string(data)) {
		var c card.Check
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			return out, fmt.Errorf("%q: %w", line, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// host is this machine.
func host() Host {
	h := Host{Cores: runtime.NumCPU(), Processor: "an unknown CPU", System: "unknown system"}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		h.Kernel = strings.TrimSpace(string(text))
	}
	h.Processor = field("/proc/cpuinfo", "model name\t: ", h.Processor)
	h.System = strings.Trim(field("/etc/os-release", "PRETTY_NAME=", h.System), `"`)
	var kib int64
	if _, err := fmt.Sscan(field("/proc/meminfo", "MemTotal:", "0"), &kib); err == nil {
		h.Memory = kib << 10
	}
	return h
}

// field is what follows a prefix in the first line that has it.
func field(path, prefix, otherwise string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return otherwise
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, prefix); found {
			return strings.TrimSpace(value)
		}
	}
	return otherwise
}
