// Package card gives tests the GPU that they run on: a real one with the machine's
// own driver where TUTTI_GPUKIT=real, the simulated one of test/fakegpu elsewhere. So
// one test serves the GPU kit on a GPU and the test command on any machine.
//
// Tests that script the driver's behavior use test/fakegpu itself. Tests alone import
// this package.
//
// check.go records what a check expected and what it saw, one JSON line each, in the file that
// TUTTI_GPUKIT_CHECKS names; test/gpu/kit reads the lines.
//
// count.go counts what programs ask of an NVIDIA driver: decoders, encoders, kernels, and the bytes
// between host and GPU. A small library is loaded before the program and listens in; it changes
// nothing of what the driver does.
package card

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/fakegpu"
)

// What the GPU kit tells the test programs.
const (
	// EnvDriver is "real" on a GPU; anything else is the simulated driver.
	EnvDriver = "TUTTI_GPUKIT"
	// EnvFull is "true" where tests take their time: all sizes, all counts.
	EnvFull = "TUTTI_GPUKIT_FULL"
	// EnvFacts is the GPU as Facts in JSON.
	EnvFacts = "TUTTI_GPUKIT_CARD"
	// EnvKernels names a folder in which the driver may keep what it compiles for all
	// processes of a run; without it each test has its own.
	EnvKernels = "TUTTI_GPUKIT_KERNELS"
	// EnvScript is what the simulated driver plays, lines of key=value separated by
	// semicolons.
	EnvScript = "TUTTI_GPUKIT_SCRIPT"
)

// Facts are what is known of a GPU before it is tried, as `tutti gpu list -json` has
// it. Memory is in bytes.
type Facts struct {
	Index   int    `json:"index"`
	UUID    string `json:"uuid"`
	Name    string `json:"name"`
	PCI     string `json:"pci"`
	Compute string `json:"compute"`
	Encodes bool   `json:"encodes"`
	Memory  int64  `json:"memory_total"`
}

// Card is the first usable GPU of this machine.
type Card struct {
	Facts
	// Fake is the simulated driver, nil on a real GPU.
	Fake *fakegpu.Driver
	// loaded says that the driver is part of this process.
	loaded bool
}

// Real reports whether the machine's own driver is used.
func (c *Card) Real() bool { return c.Fake == nil }

// Full reports whether tests take their time.
func Full() bool { return os.Getenv(EnvFull) == "true" }

// Open gives the GPU to programs that the test starts, with Env in their environment.
func Open(t testing.TB) *Card {
	t.Helper()
	if os.Getenv(EnvDriver) == "real" {
		return &Card{Facts: facts(t)}
	}
	return scripted(t, &Card{Facts: facts(t), Fake: fakegpu.Build(t)})
}

// Load makes the GPU usable within the test's own process.
func Load(t testing.TB) *Card {
	t.Helper()
	if os.Getenv(EnvDriver) == "real" {
		return &Card{Facts: facts(t), loaded: true}
	}
	return scripted(t, &Card{Facts: facts(t), Fake: fakegpu.Load(t), loaded: true})
}

func scripted(t testing.TB, c *Card) *Card {
	t.Helper()
	if s := os.Getenv(EnvScript); s != "" {
		c.Fake.Script(strings.Split(s, ";")...)
	} else {
		// An HEVC encoder is what GPUs with an encoder have.
		c.Fake.Script("device.codecs=h264,hevc")
	}
	return c
}

// facts are the kit's, or those of the simulated driver's ordinary GPU.
func facts(t testing.TB) Facts {
	t.Helper()
	text := os.Getenv(EnvFacts)
	if text == "" {
		return Facts{Name: "NVIDIA GeForce RTX 4090", PCI: "0000:01:00.0", Compute: "8.9", Encodes: true,
			Memory: 24564 << 20}
	}
	var f Facts
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatalf("%s: %v", EnvFacts, err)
	}
	return f
}

// Env is what a process needs in its environment to find the driver.
func (c *Card) Env() []string {
	if c.Real() {
		return nil
	}
	return c.Fake.Env()
}

// Deadline is when a test that would go on should end by itself: some seconds before
// its program is stopped, or after the given time where nothing stops it.
func Deadline(t *testing.T, otherwise time.Duration) time.Time {
	t.Helper()
	const margin = 20 * time.Second
	if at, set := t.Deadline(); set && Full() {
		return at.Add(-margin)
	}
	return time.Now().Add(otherwise)
}
